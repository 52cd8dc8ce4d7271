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
  parameter_format: /\{\{[a-z_]+\}\}/.test(text) ? 'NAMED' : 'POSITIONAL',
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
    name: 'consulta',
    language: 'pt_BR',
    status: 'APPROVED',
    category: 'UTILITY',
    text: 'Olá {{nome}}, sua consulta é {{dia}}.',
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

interface Parameter {
  readonly text: string;
  readonly name: string | null;
}

/** What WhatsApp says of a parameter that no template takes. */
export const UNFIT: Readonly<Record<number, string>> = {
  131008: 'Parameter of type text is missing text value',
  132018: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
};

/**
 * Whether a template takes these parameters in its body. Of templates that are not listed nothing more is known:
 * they take any.
 *
 * @returns the code with which WhatsApp refuses it, or null
 */
export function refusalOf(
  name: string,
  language: string,
  parameters: readonly Parameter[],
): 100 | 131008 | 132000 | 132018 | null {
  if (parameters.some(({ text }) => text.trim() === '')) return 131008;
  if (parameters.some(({ text }) => /[\r\n\t]| {5}/.test(text))) return 132018;
  const known = TEMPLATES.find((each) => each.name === name && each.language === language);
  if (!known) return null;
  const { text = '' } = known.components[0] ?? {};
  const wanted = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, each]) => each));
  if (wanted.size !== parameters.length) return 132000;
  if (known.parameter_format === 'POSITIONAL') return null;
  return parameters.every((each) => each.name !== null && wanted.has(each.name)) ? null : 100;
}

/** `GET /{version}/{business_account_id}/message_templates`: the same few for every account. */
export const templatesBody = (): string =>
  JSON.stringify({ data: TEMPLATES, paging: { cursors: { before: 'MQ', after: 'NQ' } } });
