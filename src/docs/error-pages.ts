import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import { FIELD_RULES } from '../http/error-guide/field-rules.ts';
import { ERROR_CODES, errorGuide, exampleError } from '../http/error-guide/guide.ts';
import { type Html, html, inline } from '../pages/html.ts';
import type { Answer, ApiDocument } from './document.ts';
import { layout, slugOf } from './layout.ts';
import { anchorOf } from './operations.ts';

/** All codes by status. */
export const errorsPage = (document: ApiDocument): string =>
  layout(document, {
    title: 'Errors',
    here: '/docs/errors',
    content: html`<h1>Errors</h1>
<p>Every refusal has one shape. Branch on <code>code</code>: it never changes. The message is for people.</p>
<pre tabindex="0"><code>${JSON.stringify(exampleError('validation', baseOf(document)), null, 2)}</code></pre>
<div class="wide" tabindex="0" role="group" aria-label="Error codes"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${ERROR_CODES.toSorted(
      (a, b) => ERROR_STATUS[a] - ERROR_STATUS[b],
    ).map(
      (code) =>
        html`<tr><td>${ERROR_STATUS[code]}</td><th scope="row"><a href="/docs/errors/${code}"><code>${code}</code></a></th><td>${inline(errorGuide[code].meaning)}</td></tr>`,
    )}</tbody></table></div>`,
  });

/** One code: its meaning, when it occurs, what to do. Each error's `doc_url` leads here. */
export function errorPage(document: ApiDocument, code: ErrorCode): string {
  const { meaning, when, remedy } = errorGuide[code];
  return layout(document, {
    title: code,
    here: '/docs/errors',
    content: html`<h1><code>${code}</code></h1>
<p class="address"><span class="method status">${ERROR_STATUS[code]}</span> ${inline(meaning)}</p>
<h2>When</h2>
<p>${inline(when)}</p>
<h2>What to do</h2>
<p>${inline(remedy)}</p>
${code === 'validation' ? fieldRules : null}
<h2>Example</h2>
<pre tabindex="0"><code>${JSON.stringify(exampleError(code, baseOf(document)), null, 2)}</code></pre>
${answeredBy(document, code)}
<p><a href="/docs/errors">All errors</a></p>`,
  });
}

/** Every rule that a problem of a field may name. */
const fieldRules = html`<h2>Rules</h2>
<p>More may be added.</p>
<div class="wide" tabindex="0" role="group" aria-label="Rules"><table><thead><tr><th scope="col">Rule</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
  FIELD_RULES,
).map(
  ([rule, meaning]) =>
    html`<tr><th scope="row"><code>${rule}</code></th><td>${inline(meaning)}</td></tr>`,
)}</tbody></table></div>`;

const baseOf = ({ servers }: ApiDocument): string => servers[0]?.url.replace(/\/api$/, '') ?? '';

/** The operations that can return it, unless nearly all can. */
function answeredBy(document: ApiDocument, code: ErrorCode): Html | null {
  const status = String(ERROR_STATUS[code]);
  const named = document.operations.filter(({ operation }) => {
    const answer = operation.responses[status];
    const json = answer && document.resolve<Answer>(answer).content?.['application/json'];
    return Object.hasOwn(json?.examples ?? {}, code);
  });
  if (named.length === 0 || named.length > 30) return null;
  return html`<h2>Where</h2><ul class="operations">${named.map(
    (described) =>
      html`<li><a href="/docs/${slugOf(described.operation.tags[0] ?? '')}#${anchorOf(described)}"><span class="method ${described.method.toLowerCase()}">${described.method}</span> <code>${described.path}</code></a></li>`,
  )}</ul>`;
}
