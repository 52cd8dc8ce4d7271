import { readFileSync } from 'node:fs';
import { html } from '../pages/html.ts';
import type { ApiDocument } from './document.ts';
import { layout, slugOf } from './layout.ts';
import { markdown } from './markdown.ts';
import { verifiers } from './verifiers.ts';

const FOLDER = new URL('../../docs/', import.meta.url);

const placeOf = (file: string): string => slugOf(file.replace('.', '-'));
const read = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');

/** Guides that consist only of text: the address, the title, and the file in `docs`. */
export const GUIDES = [
  ['/docs/building-apps', 'Building apps', 'apps.md'],
  ['/docs/connecting-agents', 'Connecting agents', 'agents.md'],
  ['/docs/writing-automations', 'Writing automations', 'automations.md'],
  ['/docs/verifying-proofs', 'Verifying proofs', 'proof.md'],
] as const;

const WEBHOOKS = ['/docs/receiving-webhooks', 'Receiving webhooks', 'webhooks.md'] as const;

/** The files to copy are further down on the page of webhooks; documents that are no guides are not served. */
function linkTo(target: string): string | null {
  if (target.startsWith('#') || target.startsWith('/docs/')) return target;
  if (target.startsWith('verify/')) return `#${placeOf(target.slice('verify/'.length))}`;
  return [WEBHOOKS, ...GUIDES].find(([, , file]) => file === target)?.[0] ?? null;
}

/** `docs/webhooks.md` as a page, with the files to copy. */
export const webhookGuidePage = (document: ApiDocument): string =>
  layout(document, {
    title: WEBHOOKS[1],
    here: WEBHOOKS[0],
    content: html`${markdown(read(WEBHOOKS[2]), linkTo)}
<h2>Files to copy</h2>
${verifiers().map(
  ({
    file,
    language,
    text,
  }) => html`<h3 id="${placeOf(file)}">${language}: <code>${file}</code></h3>
<pre tabindex="0"><code>${text}</code></pre>`,
)}`,
  });

export const guidePage = (
  document: ApiDocument,
  [here, title, file]: (typeof GUIDES)[number],
): string => layout(document, { title, here, content: html`${markdown(read(file), linkTo)}` });
