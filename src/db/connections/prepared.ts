const names = new Map<string, string>();

/** From now on `text` is a prepared statement on each connection that runs it: planned once instead of each time. */
export function prepare(text: string, name: string): void {
  const known = names.get(text);
  if (known === undefined) names.set(text, name);
}

export const preparedName = (text: string): string | undefined => names.get(text);
