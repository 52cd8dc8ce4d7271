import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTools } from '../../src/agent-tools/tools.ts';
import { openToolDoor } from '../support/agent-tools.ts';
import { everyRoute } from '../support/every-route.ts';
import type { OpenDoor } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/agents.md', ROOT), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );

let door: OpenDoor;
let ours: FullWorkspace;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

/** As a reader runs it, with the two variables that the page asks for. */
async function run(command: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, BASE: door.api.url, TOKEN: ours.token };
  const { stdout } = await promisify(execFile)(command, args, { cwd: ROOT, env });
  return stdout;
}

it('the commands of the page answer what it says', async () => {
  const [challenge = '', call = ''] = blocks('sh');

  expect(blocks('sh')).toHaveLength(2);
  expect(await run('bash', '-ec', challenge)).toMatch(
    /401 Unauthorized[\s\S]*WWW-Authenticate: Bearer resource_metadata="http:\/\/\S+\/\.well-known\/oauth-protected-resource\/api\/mcp"/i,
  );
  expect(await run('bash', '-ec', call)).toContain(ours.ids.con);
});

it('the program of the page runs as it stands', async () => {
  const [program = ''] = blocks('js');

  const printed = await run(process.execPath, '--input-type=module', '--eval', program);

  expect(printed).toMatch(/^list_contacts get_contact .*\n1 contacts\n$/);
});

it('the table names every tool with its scope and effect, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `([a-z:]+)` \| (\w+) \|$/gm)];
  const tools = [...createTools(everyRoute).values()];

  expect(rows.map(([, name, scope, effect]) => [name, scope, effect])).toEqual(
    tools.map(({ name, route, effect }) => [name, route.scope, effect]),
  );
});
