const template = (
  name: string,
  language: string,
  status: string,
  category: string,
  text: string,
) => ({
  id: String([...name].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1e15),
  name,
  language,
  status,
  category,
  parameter_format: 'POSITIONAL',
  components: [{ type: 'BODY', text }],
});

const TEMPLATES = [
  template('hello_world', 'en_US', 'APPROVED', 'UTILITY', 'Welcome and congratulations!'),
  template(
    'pedido_pronto',
    'pt_BR',
    'APPROVED',
    'UTILITY',
    'Olá {{1}}, seu pedido {{2}} está pronto.',
  ),
  template('lembrete', 'pt_BR', 'APPROVED', 'UTILITY', 'Olá {{1}}, passando para lembrar: {{2}}.'),
  template(
    'promocao',
    'pt_BR',
    'APPROVED',
    'MARKETING',
    'Oi {{1}}! Hoje temos {{2}}. Responda SAIR para não receber mais.',
  ),
  template('promocao_antiga', 'pt_BR', 'REJECTED', 'MARKETING', 'Compre já, {{1}}!'),
] as const;

/** `GET /{version}/{business_account_id}/message_templates`: the same few for every account. */
export const templatesBody = (): string =>
  JSON.stringify({ data: TEMPLATES, paging: { cursors: { before: 'MQ', after: 'NQ' } } });
