import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { html } from '../../pages/html.ts';
import type { ApiDocument } from '../document.ts';
import { layout } from '../layout.ts';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
const withoutTypes = (file: string): string => stripTypeScriptTypes(read(file), { mode: 'strip' });

/** Sent to the browser as they are, without their types. */
const SCRIPTS = [
  'judging.ts',
  'evidence.ts',
  'program.ts',
  'trying.ts',
  'bodies.ts',
  'pasted.ts',
  'verdict.ts',
];

/** What the page loads, by the address under which the files import one another. */
export const verifyingFiles: ReadonlyMap<string, () => string> = new Map([
  ['/docs/verifying/form.css', () => read('form.css')],
  ['/docs/verifying/form.js', () => read('form.js')],
  ...SCRIPTS.map((file) => [`/docs/verifying/${file}`, () => withoutTypes(file)] as const),
]);

/** The fields have no names and the form has no action, so nothing is sent even without the script. */
export const verifyPage = (document: ApiDocument): string =>
  layout(document, {
    title: 'Verify a delivery',
    here: '/docs/verify-webhook',
    head: html`<link rel="stylesheet" href="/docs/verifying/form.css">
<script type="module" src="/docs/verifying/form.js"></script>`,
    content: html`<h1>Verify a delivery</h1>
<p>Your server refuses a webhook, or you want to see one verified. Paste it: the page says whether secret, headers and body belong together, and if not, which of the <a href="/docs/receiving-webhooks#when-verification-fails">usual causes</a> it is.</p>
<p><strong>The secret stays in this browser.</strong> It is verified here; nothing is sent, stored or kept.</p>
<form id="delivery" class="delivery" autocomplete="off">
<label for="secret">Secret</label>
<p class="hint" id="secret-hint">As it was shown when the endpoint was made or rotated: <code>whsec_…</code></p>
<input id="secret" type="text" aria-describedby="secret-hint" autocomplete="off" autocapitalize="off" spellcheck="false" required>
<label for="headers">Headers</label>
<p class="hint" id="headers-hint"><code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>, one on a line or as JSON. Others may stand among them.</p>
<textarea id="headers" rows="4" aria-describedby="headers-hint" autocomplete="off" autocapitalize="off" spellcheck="false" required></textarea>
<label for="body">Body</label>
<p class="hint" id="body-hint">The raw text as your server received it, best from a log of its bytes.</p>
<textarea id="body" rows="8" aria-describedby="body-hint" autocomplete="off" autocapitalize="off" spellcheck="false" required></textarea>
<label for="computed">What your program computed (optional)</label>
<p class="hint" id="computed-hint">The signature that it expected: it tells which step in the program differs.</p>
<input id="computed" type="text" aria-describedby="computed-hint" autocomplete="off" autocapitalize="off" spellcheck="false">
<button id="verify" type="submit" hidden>Verify</button>
<p id="insecure" class="answer" hidden>Browsers can verify only on pages that came over https, or from this machine. Open this one so.</p>
<noscript><p>This page verifies with a script, and scripts are switched off.</p></noscript>
</form>
<section id="answer" class="answer" aria-label="Answer" role="status" tabindex="-1" hidden></section>`,
  });
