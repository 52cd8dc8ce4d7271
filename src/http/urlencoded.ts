/** The pairs of urlencoded text, split by `&`. Throws `unreadable()` at broken percent-encoding or NUL. */
export function* decoded(
  pairs: readonly string[],
  unreadable: () => Error,
): Generator<readonly [name: string, value: string]> {
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at), unreadable);
    yield [name, at === -1 ? '' : decode(pair.slice(at + 1), unreadable)];
  }
}

function decode(text: string, unreadable: () => Error): string {
  try {
    const read = decodeURIComponent(text.replaceAll('+', ' '));
    if (!read.includes('\0')) return read;
  } catch {
    // Answered below: both mean a text that cannot be read.
  }
  throw unreadable();
}
