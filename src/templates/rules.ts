/** As `pt_BR`: how WhatsApp names a template's language. */
export const TEMPLATE_LANGUAGE = /^[A-Za-z]{2,3}(?:_[A-Za-z]{2,4})?$/;

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

/** What the body calls its parameters, in the order in which they first appear: `1`, or `name`. */
const placeholdersOf = (components: readonly unknown[]): string[] => [
  ...new Set([...bodyOf(components).matchAll(PLACEHOLDER)].map(([, name = '']) => name)),
];

/** The body as a person reads it; "" if there is none. WhatsApp counts numbered parameters, and we name the others. */
export function bodyWith(components: readonly unknown[], parameters: readonly string[]): string {
  const names = namesOf(components);
  return bodyOf(components).replace(PLACEHOLDER, (written, name: string) => {
    const index = names.length > 0 ? names.indexOf(name) : Number(name) - 1;
    return parameters[index] ?? written;
  });
}

/** How many parameters the body has. */
export const parametersOf = (components: readonly unknown[]): number =>
  placeholdersOf(components).length;

/** What stands for each parameter of a body, in the order in which they are given: `{{1}}`, or `{{name}}`. */
export function placesOf(body: string): string[] {
  const components = [{ type: 'BODY', text: body }];
  const names = namesOf(components);
  const count = parametersOf(components);
  return Array.from({ length: count }, (_, i) => `{{${names[i] ?? i + 1}}}`);
}

/** The names under which WhatsApp wants the parameters; none if the body numbers them. */
export function namesOf(components: readonly unknown[]): readonly string[] {
  const placeholders = placeholdersOf(components);
  return placeholders.every((name) => /^\d+$/.test(name)) ? [] : placeholders;
}

/** SQL: whether a message `m` was sent as a template `t`. */
export const SENT_AS = `t.organization_id = m.organization_id and t.number_id = m.number_id
  and t.name = m.template ->> 'name' and t.language = m.template ->> 'language'`;

/**
 * SQL: whether a template `t` takes parameters outside its body, which cannot be given here: WhatsApp would refuse each
 * message of it.
 */
export const NEEDS_MORE = `jsonb_path_exists(t.components, '$[*] ? (
  @.type == "CAROUSEL" || @.type == "LIMITED_TIME_OFFER"
  || (@.type == "HEADER" && (@.format != "TEXT" || @.text like_regex "\\{\\{"))
  || (@.type == "BUTTONS" && exists(@.buttons[*] ? (@.url like_regex "\\{\\{" || @.type == "OTP"
    || @.type == "COPY_CODE" || @.type == "FLOW" || @.type == "MPM" || @.type == "SPM" || @.type == "ORDER_DETAILS"))))')`;
