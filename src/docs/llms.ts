import type { ApiDocument } from './document.ts';
import { slugOf } from './layout.ts';

/** The API in plain text for language models (llmstxt.org): what it is, and where each thing is described. */
export function llmsText(document: ApiDocument, baseUrl: string): string {
  const { info, operations, events, servers, tags } = document;
  const sections = tags.map(({ name, description }) => {
    const lines = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(
        ({ method, path, operation }) =>
          `- [${method} ${path}](${baseUrl}/docs/${slugOf(name)}#${operation.operationId}): ${operation.summary}`,
      );
    return `## ${name}\n\n${description ?? ''}\n\n${lines.join('\n')}`;
  });
  const received = events.map(
    ({ path, operation }) =>
      `- [${path}](${baseUrl}/docs/events#${operation.operationId}): ${operation.summary}`,
  );
  return `# ${info.title}

> ${info.description.split('\n\n')[0] ?? ''}

The base address is ${servers[0]?.url ?? ''}, and the whole API as OpenAPI 3.1 is at ${baseUrl}/openapi.json.

${info.description.split('\n\n').slice(1).join('\n\n')}

${sections.join('\n\n')}

## Webhook events

${received.join('\n')}

## Optional

- [Receiving webhooks](${baseUrl}/docs/receiving-webhooks): create an endpoint, verify, retries, states, rotation, what to do when verification fails
- [Writing automations](${baseUrl}/docs/writing-automations): the JSON of a definition: triggers, who is let in, steps, conditions, and what may be wrong with it
- [Verifying proofs](${baseUrl}/docs/verifying-proofs): what the hashes of a campaign's proof cover, and code that checks one
- [Building apps](${baseUrl}/docs/building-apps): OAuth 2.1 by its commands: register, ask the person, get and renew tokens, disconnect, what is refused
- [Connecting agents](${baseUrl}/docs/connecting-agents): the tool server at /api/mcp, its tools with scope and effect
- [Verify a delivery](${baseUrl}/docs/verify-webhook): for people with a browser; a pasted delivery is verified there, or told why it is refused
- [Error codes](${baseUrl}/docs/errors): what each means and what to do about it
`;
}
