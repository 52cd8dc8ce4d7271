/** One part of a template, as WhatsApp describes it. */
interface Component {
  readonly type: string;
  readonly text?: string;
}

const isComponent = (value: unknown): value is Component =>
  typeof value === 'object' && value !== null && typeof (value as Component).type === 'string';

/** The text of a template's body, with `{{1}}` for parameters; "" if it has none. */
export function bodyOf(components: readonly unknown[]): string {
  const body = components.filter(isComponent).find(({ type }) => type.toUpperCase() === 'BODY');
  return typeof body?.text === 'string' ? body.text : '';
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** How many parameters the body has. */
export const parametersOf = (components: readonly unknown[]): number =>
  new Set([...bodyOf(components).matchAll(PLACEHOLDER)].map(([, name]) => name)).size;
