/** Escapes of JSON for what PostgreSQL keeps neither in text nor in jsonb: NUL, and a half of a character. */
export const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/** For `JSON.parse` and `JSON.stringify`: each of them becomes the replacement character. */
export const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value;

/**
 * JSON that every statement can read. One text that none can read would hold up the events of everybody,
 * which go out together.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return UNSTORABLE.test(json) ? JSON.stringify(value, storable) : json;
}
