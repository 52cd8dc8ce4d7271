/** JSON escapes that PostgreSQL can store neither in text nor in jsonb: NUL and lone surrogates. */
export const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** With the replacement character in place of each of them. */
export const storableText = (text: string): string =>
  text.replaceAll('\0', '\ufffd').toWellFormed();

/** `storableText` as the second argument of `JSON.parse` and `JSON.stringify`. */
export const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? storableText(value) : value;

/** JSON that every statement can read. Events are sent together, so one unreadable text would hold up everyone's. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? JSON.stringify(value, storable) : json;
}
