import { type Html, html, inline, prose } from '../pages/html.ts';
import type { Answer, ApiDocument, Described, Parameter } from './document.ts';
import { fieldTable, typeOf } from './fields.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** `List contacts` → its place on its page. */
export const anchorOf = ({ operation }: Described): string => operation.operationId;

/** Everything about one operation. */
export function operationSection(document: ApiDocument, described: Described): Html {
  const { method, path, operation } = described;
  return html`<section class="operation" id="${anchorOf(described)}" aria-labelledby="${anchorOf(described)}-title">
<h2 id="${anchorOf(described)}-title"><a href="#${anchorOf(described)}">${operation.summary.replace(/\.$/, '')}</a></h2>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${prose(operation.description ?? '')}
${parameters(document, described)}
${requestBody(document, described)}
<h3>Example</h3>
${block(curl(document, described))}
${successes(document, described)}
${refusals(document, described)}
</section>`;
}

/** Scrolls by itself if it is too wide, also by keyboard. */
const block = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;

function parameters(document: ApiDocument, { operation }: Described): Html | null {
  const all = (operation.parameters ?? []).map((one) => document.resolve<Parameter>(one));
  if (all.length === 0) return null;
  return html`<h3>Parameters</h3><div class="wide" tabindex="0" role="group" aria-label="Parameters"><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${all.map(
    (parameter) => {
      const schema = document.resolve(parameter.schema);
      const values = schema.enum
        ? ` One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`
        : '';
      const standard =
        schema.default === undefined ? '' : ` Default \`${String(schema.default)}\`.`;
      const notes = (parameter.description ?? schema.description ?? '') + values + standard;
      return html`<tr><th scope="row"><code>${parameter.name}</code></th><td>${parameter.in}</td><td>${typeOf(document, parameter.schema)}${parameter.required ? ', required' : ''}</td><td>${inline(notes.trim())}</td></tr>`;
    },
  )}</tbody></table></div>`;
}

function requestBody(document: ApiDocument, { operation }: Described): Html | null {
  const [entry] = Object.entries(operation.requestBody?.content ?? {});
  if (!entry) return null;
  const [type, { schema }] = entry;
  const optional = operation.requestBody?.required === true ? '' : ', may be left out';
  return html`<h3>Body</h3><p><code>${type}</code>${optional}</p>${fieldTable(document, schema, true)}`;
}

/** What is sent in the example: the file that its answer tells of. */
function exampleFile(document: ApiDocument, described: Described): string {
  const example = answersOf(document, described)[0]?.content?.['application/json']?.example;
  const { file_name: imported, name } = (example ?? {}) as Record<string, unknown>;
  return String(imported ?? name);
}

function curl(document: ApiDocument, described: Described): string {
  const { method, path, operation } = described;
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = media?.example;
  const byKey = operation.security.some((one) => 'apiKey' in one);
  const lines = [
    `curl -X ${method} "${document.servers[0]?.url ?? ''}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}"`,
    `-H "Authorization: Bearer ${byKey ? '$API_KEY' : '$ACCESS_TOKEN'}"`,
  ];
  if (method !== 'GET') lines.push('-H "Idempotency-Key: $(uuidgen)"');
  if (type?.startsWith('multipart/')) lines.push(`-F "file=@${exampleFile(document, described)}"`);
  else if (example !== undefined)
    lines.push(
      '-H "Content-Type: application/json"',
      `-d '${json(example).replaceAll("'", "'\\''")}'`,
    );
  return lines.join(' \\\n  ').replace('curl -X GET', 'curl');
}

/** The usual one first: of two, 200 says that nothing was done, and has the same fields. */
const answersOf = (document: ApiDocument, { operation }: Described) =>
  Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, answer]) => ({ status, ...document.resolve<Answer>(answer) }))
    .reverse();

function successes(document: ApiDocument, described: Described): Html | null {
  const [usual, ...others] = answersOf(document, described);
  const media = usual?.content?.['application/json'];
  if (!usual || !media) return null;
  return html`<h3>Answer ${usual.status}</h3>${block(json(media.example))}${others.map(
    ({ status, description }) => html`<p>Answer <code>${status}</code>: ${inline(description)}</p>`,
  )}<details><summary>Fields of the answer</summary>${fieldTable(document, media.schema, false)}</details>`;
}

/** The error codes it can return, each linked to its page. */
function refusals(document: ApiDocument, { operation }: Described): Html {
  const refused = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status));
  return html`<details><summary>Errors</summary><dl class="refusals">${refused.map(
    ([status, answer]) => {
      const examples = document.resolve<Answer>(answer).content?.['application/json']?.examples;
      return html`<dt>${status}</dt><dd>${Object.keys(examples ?? {}).map(
        (code) => html`<a href="/docs/errors/${code}"><code>${code}</code></a> `,
      )}</dd>`;
    },
  )}</dl></details>`;
}

/** What an endpoint receives for one type of event. */
export function eventSection(document: ApiDocument, described: Described): Html {
  const { path, operation } = described;
  const media = operation.requestBody?.content['application/json'];
  return html`<section class="operation" id="${anchorOf(described)}" aria-labelledby="${anchorOf(described)}-title">
<h2 id="${anchorOf(described)}-title"><a href="#${anchorOf(described)}"><code>${path}</code></a></h2>
<p>${inline(operation.summary)}</p>
${media ? block(json(media.example)) : null}
<details><summary>Fields of the body</summary>${media ? fieldTable(document, media.schema, false) : null}</details>
</section>`;
}
