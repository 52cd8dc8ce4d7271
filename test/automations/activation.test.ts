import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { addTeam } from '../../src/members/teams.ts';
import { anActiveAutomation, anAutomation } from '../support/factories/automations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { ownWorkspace } from './support/own-workspace.ts';

const { door, own, call } = ownWorkspace();
const activate = (id: string, as?: string): Promise<Reply> =>
  call('POST', `/${id}/activate`, undefined, as);
const deactivate = (id: string): Promise<Reply> => call('POST', `/${id}/deactivate`);

/** Writes another text into the draft, as a person does. */
async function edit(id: string, text: string): Promise<void> {
  const { token } = await aMember(own.ctx, { role: 'admin' });
  const steps = [
    { id: 'hello', type: 'send_message', text, next: 'end' },
    { id: 'end', type: 'end' },
  ];
  expect((await call('PATCH', `/${id}`, { steps }, token)).status).toBe(200);
}

const rows = <R>(text: string, ...params: unknown[]) => rowsOf<R>(own.ctx, text, params);

/** The text of each published version, in order. */
const published = async (id: string): Promise<string[]> => {
  const versions = await rows<{ text: string }>(
    `select definition->'steps'->0->>'text' as text from automation_versions where automation_id = $1 order by version`,
    id,
  );
  return versions.map(({ text }) => text);
};

const log = async (): Promise<{ action: string; changes: unknown[] }[]> =>
  rows("select action, changes from audit_entries where action like 'automation.%' order by seq");

const outcome = ({ status, body }: Reply) => [status, body.status, body.version];

describe('activating', () => {
  it.each([
    ['2020-02-29', ['date_passed']],
    ['2999-01-01', []],
  ])('a schedule of once for %s turns it on and warns of %j', async (date, codes) => {
    const { id: segment_id } = await aSegment(own.ctx);
    const trigger = { type: 'schedule', segment_id, repeat: 'once', time: '11:00', date };
    const steps = [{ id: 'end', type: 'end' }];
    const { id } = await anAutomation(own.ctx, { trigger, steps });

    const { status, body } = await activate(id);

    expect([status, body.status]).toEqual([200, 'active']);
    expect(body.issues.map(({ code }: { code: string }) => code)).toEqual(codes);
  });

  it('publishes a draft as version 1 and turns it on', async () => {
    const { id } = await anAutomation(own.ctx);

    const reply = await activate(id);

    expect(outcome(reply)).toEqual([200, 'active', 1]);
    expect(reply.body.unpublished_edits).toBe(false);
    expect(await published(id)).toEqual(['Oi {{first_name|tudo bem}}!']);
    expect((await log()).at(-1)).toEqual({
      action: 'automation.activated',
      changes: [
        { field: 'status', from: 'draft', to: 'active' },
        { field: 'version', from: 0, to: 1 },
      ],
    });
  });

  it('changes nothing when it is on and without edits', async () => {
    const { id, updated_at: at } = await anActiveAutomation(own.ctx);
    const before = await log();

    const reply = await activate(id);

    expect([...outcome(reply), reply.body.updated_at]).toEqual([200, 'active', 1, at]);
    expect(await log()).toEqual(before);
  });

  it('publishes edits of one that is on; until then new runs would follow the old version', async () => {
    const { id } = await anActiveAutomation(own.ctx);
    await edit(id, 'Novo');

    const edited = await call('GET', `/${id}`);
    expect(edited.body).toMatchObject({ status: 'active', version: 1, unpublished_edits: true });
    expect(await published(id)).toHaveLength(1);

    expect(outcome(await activate(id))).toEqual([200, 'active', 2]);
    expect(await published(id)).toEqual(['Oi {{first_name|tudo bem}}!', 'Novo']);
    expect((await log()).at(-1)).toEqual({
      action: 'automation.published',
      changes: [{ field: 'version', from: 1, to: 2 }],
    });
  });

  it('makes the next version of one that was off, edited or not', async () => {
    const { id } = await anActiveAutomation(own.ctx);
    await deactivate(id);

    expect(outcome(await activate(id))).toEqual([200, 'active', 2]);
  });

  it('refuses a draft with errors, names them all, and leaves it a draft', async () => {
    const { id } = await anAutomation(own.ctx, {
      steps: [
        { id: 'a', type: 'assign', team_id: newId('team'), next: 'b' },
        { id: 'b', type: 'add_tag', tag: 'x' },
      ],
    });

    const reply = await activate(id);

    expect(reply.status).toBe(422);
    expect(reply.body.error.code).toBe('invalid_definition');
    expect(reply.body.error.details.issues).toMatchObject([
      { step_id: 'b', code: 'missing_next', path: 'steps[1].next' },
      { step_id: 'a', code: 'unknown_reference', path: 'steps[0].team_id' },
    ]);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ status: 'draft', version: 0 });
  });

  it('does not mind warnings', async () => {
    const { id } = await anAutomation(own.ctx, {
      steps: [
        { id: 'end', type: 'end' },
        { id: 'lost', type: 'end' },
      ],
    });

    const reply = await activate(id);

    expect(outcome(reply)).toEqual([200, 'active', 1]);
    expect(reply.body.issues).toMatchObject([{ code: 'unreachable_step', severity: 'warning' }]);
  });

  it("finds this workspace's records, never another's", async () => {
    const other = await aWorkspace(door.database);
    const ours = await addTeam(own.ctx, 'Vendas');
    const foreign = await addTeam(other.ctx, 'Vendas');
    const assigning = (name: string, teamId: string) =>
      anAutomation(own.ctx, {
        name,
        steps: [
          { id: 'a', type: 'assign', team_id: teamId, next: 'end' },
          { id: 'end', type: 'end' },
        ],
      });

    expect((await assigning('Nossa', ours.id)).issues).toEqual([]);
    const { issues } = await assigning('Alheia', foreign.id);
    const { issues: invented } = await assigning('Inventada', newId('team'));
    expect(issues).toEqual(invented);
    expect(issues).toMatchObject([{ code: 'unknown_reference', path: 'steps[0].team_id' }]);
  });

  it('knows a member to assign to only while they can answer', async () => {
    const assigning = async (wishes: object, change = 'select') => {
      const { id: member_id, teamIds } = await aMember(own.ctx, { teams: ['Vendas'], ...wishes });
      await rows(change, ...(change === 'select' ? [] : [member_id]));
      const assign = { id: 'a', type: 'assign', team_id: teamIds[0], member_id, next: 'end' };
      const steps = [assign, { id: 'end', type: 'end' }];
      const { id } = await anAutomation(own.ctx, { name: member_id, steps } as object);
      return outcomeOf(await activate(id));
    };
    const outcomeOf = ({ status, body }: Reply) => [
      status,
      body.error?.details.issues[0].path ?? null,
    ];

    expect(await assigning({ role: 'agent' })).toEqual([200, null]);
    expect(await assigning({ role: 'viewer' })).toEqual([422, 'steps[0].member_id']);
    const suspend = "update members set status = 'suspended' where id = $1";
    expect(await assigning({ role: 'agent' }, suspend)).toEqual([422, 'steps[0].member_id']);
  });

  it('knows a number only where the person sees it', async () => {
    const number = await aNumber(own.ctx, { name: 'Vendas' });
    const { id } = await anAutomation(own.ctx, {
      trigger: { type: 'message_received', number_ids: [number.id] },
    });
    const { token } = await aMember(own.ctx, {
      role: 'admin',
      visibility: 'teams',
      teams: ['Fora'],
    });

    const reply = await call('GET', `/${id}`, undefined, token);

    expect(reply.body.issues).toMatchObject([{ path: 'trigger.number_ids[0]' }]);
    expect((await activate(id)).status).toBe(200);
  });

  it('keeps to the plan, also when several are activated at once', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) ids.push((await anAutomation(own.ctx, { name: `A${n}` })).id);

    const replies = await Promise.all(ids.map((id) => activate(id)));

    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(3);
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([409, 'quota']);
      expect(body.error.details).toEqual({ limit: 5, used: 5, plan: 'essencial' });
    }
    const [count] = await rows(
      "select count(*)::int as n from automations where status = 'active'",
    );
    expect(count).toEqual({ n: 5 });

    // One that is on already takes no further place.
    const on = replies.find(({ status }) => status === 200)?.body.id;
    await call('PATCH', `/${on}`, { steps: [{ id: 'fim', type: 'end' }] });
    expect(outcome(await activate(on))).toEqual([200, 'active', 2]);
  });

  it('makes one version of two activations at once', async () => {
    const { id } = await anAutomation(own.ctx);

    const replies = await Promise.all([activate(id), activate(id), activate(id)]);

    expect(replies.map(outcome)).toEqual(Array(3).fill([200, 'active', 1]));
    expect(await published(id)).toHaveLength(1);
  });

  it('answers 404 for one that is not there', async () => {
    expect((await activate(newId('atm'))).status).toBe(404);
    expect((await deactivate(newId('atm'))).status).toBe(404);
  });
});
