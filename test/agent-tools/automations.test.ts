import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { createTools } from '../../src/agent-tools/tools.ts';
import { newId } from '../../src/ids.ts';
import { CONSENT } from '../../src/sign-in/texts/consent.ts';
import { openToolDoor, toolClient } from '../support/agent-tools.ts';
import { everyRoute } from '../support/every-route.ts';
import type { OpenDoor } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;
let theirs: FullWorkspace;
let agent: Client;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
  theirs = await aFullWorkspace(door.database, door.api);
  agent = await toolClient(door, ours.token);
});
afterAll(async () => {
  await agent.close();
  await door.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Said = any;

interface Called {
  readonly failed: boolean;
  readonly said: Said;
}

/** As a client that holds each answer against the listed schema. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const { isError, content } = await agent.callTool({ name, arguments: args });
  const [part] = content;
  return { failed: isError === true, said: JSON.parse(part?.type === 'text' ? part.text : '') };
}

async function done(name: string, args?: Record<string, unknown>): Promise<Said> {
  const { failed, said } = await call(name, args);
  if (failed) throw new Error(`${name}: ${JSON.stringify(said)}`);
  return said;
}

async function refusal(name: string, args: Record<string, unknown>): Promise<Said> {
  const { failed, said } = await call(name, args);
  expect(failed).toBe(true);
  return said.error;
}

const logged = (): Promise<object[]> =>
  rowsOf(
    ours.ctx,
    `select target ->> 'id' as tool, changes #>> '{0,to}' as record from audit_entries
      where action = 'agent_tool.called' order by seq`,
  );

/** The first program of the guide, as an agent finds it. */
async function learned(): Promise<Said> {
  const { text } = await done('get_automation_guide');
  return JSON.parse(/```json\n([\s\S]+?)```/.exec(text)?.[1] ?? '');
}

it('an agent that knows nothing learns the language, drafts, is told what is wrong, corrects it and tries it', async () => {
  const before = (await logged()).length;
  const { tools } = await agent.listTools();
  const wanted = tools.find(({ name }) => name === 'create_automation');
  const draft = await learned();

  const made = await done('create_automation', draft);
  const one = { automation_id: made.id };
  const early = await refusal('simulate_automation', { ...one, message: 'Qual o preço?' });
  const [team] = (await done('list_teams')).data;
  const steps = draft.steps.map((step: Said) =>
    step.type === 'handover' ? { ...step, team_id: team.id } : step,
  );
  const mended = await done('update_automation', { ...one, steps });
  const read = await done('get_automation', one);
  const answers = [{ step_id: 's4', text: 'Custa R$ 90.', tool: 'goal_reached' }];
  const start = { ...one, contact: { name: 'Ana Souza' }, message: 'Qual o preço?', answers };
  const yes = await done('simulate_automation', {
    ...start,
    replies: [{ after: 'PT5M', text: 'sim, quero' }],
  });
  const silence = await done('simulate_automation', start);

  expect(wanted?.inputSchema.required).toEqual(['name', 'trigger', 'steps']);
  expect(JSON.stringify(wanted?.inputSchema)).toContain('`get_automation_guide`');
  expect(made).toMatchObject({
    status: 'draft',
    issues: [
      { step_id: 's5', code: 'unknown_reference', severity: 'error', path: 'steps[4].team_id' },
      { code: 'ai_not_configured', severity: 'warning' },
    ],
  });
  expect(early).toMatchObject({
    code: 'invalid_definition',
    details: { issues: [{ path: 'steps[4].team_id' }] },
  });
  expect(mended.issues).toMatchObject([{ severity: 'warning' }]);
  expect(read).toEqual(mended);
  expect(yes.steps.map(({ branch }: Said) => branch)).toEqual([
    ...['next', 'next', 'cases[0].next', 'next', null],
  ]);
  expect(yes.conversation.map(({ text }: Said) => text)).toEqual([
    ...['Qual o preço?', 'Oi Ana! Quer ver?', 'sim, quero', 'Custa R$ 90.'],
  ]);
  expect(silence.steps.map(({ branch }: Said) => branch)).toEqual(['next', 'on_timeout', null]);
  expect((await logged()).slice(before)).toEqual([
    { tool: 'create_automation', record: made.id },
    { tool: 'update_automation', record: made.id },
  ]);
});

it('is told each place that is wrong, as a caller of the API is', async () => {
  const draft = await learned();
  const steps = structuredClone(draft.steps);
  steps[2].cases[0].when.op = 'is_like';
  steps[1].timeout = 'one day';
  const wrong = { ...draft, trigger: { type: 'message' }, steps, colour: 'red' };

  const error = await refusal('create_automation', wrong);
  const changed = await refusal('update_automation', { automation_id: ours.ids.atm, steps });
  const simulated = await refusal('simulate_automation', {
    automation_id: ours.ids.atm,
    replies: [{ after: 'soon', text: 'sim' }],
  });

  const places = ({ details }: Said): string[] => details.map(({ path }: Said) => path).toSorted();
  expect(error.code).toBe('validation');
  expect(places(error)).toEqual([
    'colour',
    'steps[1].timeout',
    'steps[2].cases[0].when.op',
    'trigger.type',
  ]);
  expect(places(changed)).toEqual(['steps[1].timeout', 'steps[2].cases[0].when.op']);
  expect(places(simulated)).toEqual(['replies[0].after']);
});

it("is told of another workspace's records in a draft as of some that never were", async () => {
  const draft = await learned();
  const naming = (name: string, idOf: (kind: 'team' | 'atm') => string): Promise<Said> =>
    done('create_automation', {
      ...draft,
      name,
      steps: [
        { id: 'a', type: 'start_automation', automation_id: idOf('atm'), next: 'b' },
        { id: 'b', type: 'handover', team_id: idOf('team') },
      ],
    });

  const foreign = await naming('Deles', (kind) => theirs.ids[kind] ?? '');
  const unknown = await naming('De ninguém', newId);

  expect(foreign.issues).toHaveLength(2);
  expect(foreign.issues).toEqual(unknown.issues);
});

it('changes only the draft of an automation that is active', async () => {
  const one = { automation_id: ours.ids.atm };
  const before = await done('get_automation', one);

  const after = await done('update_automation', {
    ...one,
    steps: [{ id: 'bye', type: 'end' }],
  });
  const [published] = await rowsOf(
    ours.ctx,
    'select definition from automation_versions where automation_id = $1',
    [ours.ids.atm],
  );

  expect(after).toMatchObject({
    status: 'active',
    version: before.version,
    unpublished_edits: true,
    steps: [{ id: 'bye' }],
  });
  expect(published).toMatchObject({ definition: { steps: before.steps } });
});

it('lists no tool that activates, starts or stops anything, and little of the language', async () => {
  const { tools } = await agent.listTools();
  const about = tools.filter(({ name }) => /automation|run/.test(name));
  const drafting = about.filter(({ name }) => !/^list_|report|reminder/.test(name));

  expect(about.map(({ name }) => name)).toEqual([
    'list_reminder_runs',
    'list_reminder_run_recipients',
    'list_automations',
    'get_automation_guide',
    'get_automation',
    'create_automation',
    'update_automation',
    'simulate_automation',
    'get_automation_report',
  ]);
  // With the language in them they would have 100,000.
  expect(JSON.stringify(drafting).length).toBeLessThan(15_000);
});

it('does no more by a scope than draft, where that is all that the consent page says', () => {
  const tools = [...createTools(everyRoute).values()];
  const drafting = tools.filter(({ route }) => Object.hasOwn(CONSENT.en.saysOfTools, route.scope));

  expect(drafting.map(({ name }) => name)).toEqual([
    'create_form',
    'create_automation',
    'update_automation',
  ]);
});
