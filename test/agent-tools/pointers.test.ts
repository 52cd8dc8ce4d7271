import { expect, it } from '@jest/globals';
import { createTools } from '../../src/agent-tools/tools.ts';
import { everyRoute } from '../support/every-route.ts';

const tools = createTools(everyRoute);
const said = (name: string): string => JSON.stringify(tools.get(name));

it.each([...tools.keys()])('%s names only tools that there are', (name) => {
  const operations = everyRoute.map(({ operationId }) => operationId);
  const named = operations.filter((operation) => said(name).includes(`\`${operation}\``));

  expect(named.filter((operation) => !tools.has(operation))).toEqual([]);
});

it.each(['send_message', 'send_to_conversation'])(
  '%s says where templates and the ids of files come from',
  (name) => {
    expect(said(name)).toContain('`list_templates`');
    expect(said(name)).toContain('`POST /v1/media` of the API');
    expect(tools.has('list_templates')).toBe(true);
  },
);
