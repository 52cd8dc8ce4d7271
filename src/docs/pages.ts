import { html, inline, prose } from '../pages/html.ts';
import type { ApiDocument } from './document.ts';
import { layout, slugOf } from './layout.ts';
import { anchorOf, eventSection, operationSection } from './operations.ts';

const ofTag = ({ operations }: ApiDocument, tag: string) =>
  operations.filter(({ operation }) => operation.tags.includes(tag));

/** What the API is, and every operation by name: the page to search. */
export const overviewPage = (document: ApiDocument): string =>
  layout(document, {
    title: 'API reference',
    here: '/docs',
    content: html`<h1>API reference</h1>
${prose(document.info.description)}
<p>The base address is <code>${document.servers[0]?.url ?? ''}</code>.</p>
<h2>Every operation</h2>
${document.tags.map(
  ({ name, description }) => html`<h3><a href="/docs/${slugOf(name)}">${name}</a></h3>
<p>${inline(description ?? '')}</p>
<ul class="operations">${ofTag(document, name).map(
    (described) =>
      html`<li><a href="/docs/${slugOf(name)}#${anchorOf(described)}"><span class="method ${described.method.toLowerCase()}">${described.method}</span> <code>${described.path}</code></a> ${described.operation.summary}</li>`,
  )}</ul>`,
)}`,
  });

export const tagPage = (document: ApiDocument, tag: string): string =>
  layout(document, {
    title: tag,
    here: `/docs/${slugOf(tag)}`,
    content: html`<h1>${tag}</h1>
<p>${inline(document.tags.find(({ name }) => name === tag)?.description ?? '')}</p>
${ofTag(document, tag).map((described) => operationSection(document, described))}`,
  });

export const eventsPage = (document: ApiDocument): string =>
  layout(document, {
    title: 'Webhook events',
    here: '/docs/events',
    content: html`<h1>Webhook events</h1>
<p>What your endpoint receives, by <code>POST</code>. How to create an endpoint, verify its deliveries and manage it: <a href="/docs/receiving-webhooks">Receiving webhooks</a>.</p>
${prose(document.events[0]?.operation.description ?? '')}
<p>The typed client has <code>verifyWebhook</code>, which does this; the guide has a file to copy for <a href="/docs/receiving-webhooks#verify">five languages</a>.</p>
${document.events.map((described) => eventSection(document, described))}`,
  });
