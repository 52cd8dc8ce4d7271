/** JSON escapes that PostgreSQL can store neither in text nor in jsonb: NUL and lone surrogates. */
export const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** For `JSON.parse` and `JSON.stringify`: replaces each of them with the replacement character. */
export const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value;

/** JSON that every statement can read. Events are sent together, so one unreadable text would hold up everyone's. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? JSON.stringify(value, storable) : json;
}
