import { readFileSync } from 'node:fs';

/** `docs/automations.md`. */
export const page = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8');

/** The objects in the last cells of the page's tables whose first key is this. */
export const examples = (firstKey: 'type' | 'id'): unknown[] =>
  [...page.matchAll(/\| `(\{.+\})` \|$/gm)]
    .map(([, text = '']) => text.replaceAll('\\|', '|'))
    .filter((text) => text.startsWith(`{"${firstKey}"`))
    .map((text) => JSON.parse(text));
