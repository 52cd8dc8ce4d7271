interface Template {
  readonly name: string;
  readonly language: string;
  readonly status: string;
  readonly category: string;
  readonly text: string;
}

const template = ({ name, text, ...rest }: Template) => ({
  id: String([...name].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1e15),
  name,
  ...rest,
  parameter_format: 'POSITIONAL',
  components: [{ type: 'BODY', text }],
});

const TEMPLATES = [
  template({
    name: 'hello_world',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    text: 'Welcome and congratulations!',
  }),
  template({
    name: 'pedido_pronto',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    text: 'Olá {{1}}, seu pedido {{2}} está pronto.',
  }),
  template({
    name: 'lembrete',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    text: 'Olá {{1}}, passando para lembrar: {{2}}.',
  }),
  template({
    name: 'promocao',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'MARKETING',
    text: 'Oi {{1}}! Hoje temos {{2}}. Responda SAIR para não receber mais.',
  }),
  template({
    name: 'promocao_antiga',
    language: 'pt_BR',
    status: 'REJECTED',
    category: 'MARKETING',
    text: 'Compre já, {{1}}!',
  }),
] as const;

/** `GET /{version}/{business_account_id}/message_templates`: the same few for every account. */
export const templatesBody = (): string =>
  JSON.stringify({ data: TEMPLATES, paging: { cursors: { before: 'MQ', after: 'NQ' } } });
