import { beforeEach, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { automationRoutes } from '../../src/automations/routes.ts';
import { RUN_STATUSES, type RunStatus } from '../../src/automations/rules.ts';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let key: string;
let automationId: string;

const door = opened(() => openDoor({ routes: automationRoutes({ trustedOrigins: [] }) }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx, SCOPE_NAMES));
  ({ id: automationId } = await anActiveAutomation(ctx));
});

const call = (method: string, path: string, body?: unknown, as = key): Promise<Reply> =>
  door.api.call(method, `/api/v1${path}`, { key: as, body });

/** A run of a person of its own. */
async function run(status: RunStatus = 'waiting'): Promise<{ id: string; contactId: string }> {
  const { id: contactId } = await aContact(ctx);
  return { id: await aRun(ctx, { automationId, contactId, status }), contactId };
}

const listed = async (query = '', as = key): Promise<string[]> => {
  const reply = await call('GET', `/automations/${automationId}/runs${query}`, undefined, as);
  expect(reply.status).toBe(200);
  return reply.body.data.map(({ id }: { id: string }) => id);
};

const statusOf = async (id: string): Promise<string> =>
  (await call('GET', `/runs/${id}`)).body.status;

describe('the runs of an automation', () => {
  it('are listed newest first, by status and by contact, page by page', async () => {
    const first = await run('succeeded');
    const second = await run('waiting');
    const third = await run('failed');

    expect(await listed()).toEqual([third.id, second.id, first.id]);
    expect(await listed('?status=waiting')).toEqual([second.id]);
    expect(await listed(`?contact_id=${first.contactId}`)).toEqual([first.id]);
    expect(await listed(`?contact_id=${newId('con')}`)).toEqual([]);
    const page = await call('GET', `/automations/${automationId}/runs?limit=2`);
    expect(await listed(`?limit=2&cursor=${page.body.next_cursor}`)).toEqual([first.id]);
    expect((await call('GET', `/automations/${newId('atm')}/runs`)).status).toBe(404);
    expect((await call('GET', `/automations/${automationId}/runs?status=lost`)).status).toBe(422);
  });

  it('show the latest thousand steps of a long one, in order', async () => {
    const { id } = await run('running');
    await rowsOf(
      ctx,
      `insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, started_at, finished_at)
       select organization_id, id, n, 's' || n, 'branch', 'succeeded', now(), now()
       from automation_runs, generate_series(11, 1012) n where id = $1`,
      [id],
    );

    const { body } = await call('GET', `/runs/${id}`);

    const steps = body.steps.map(({ step_id }: { step_id: string }) => step_id);
    expect([steps.length, steps[0], steps.at(-1)]).toEqual([1_000, 's13', 's1012']);
  });

  it('show what started them, where they stand and which steps they took', async () => {
    const { id, contactId } = await run('waiting');

    const { body } = await call('GET', `/runs/${id}`);

    expect(body).toMatchObject({
      id,
      automation_id: automationId,
      version: 1,
      contact_id: contactId,
      conversation_id: null,
      trigger: { type: 'message_received', ref: expect.stringMatching(/^msg_/) },
      status: 'waiting',
      current_step_id: 'end',
      finished_at: null,
      error: null,
      depth: 0,
      cause_run_id: null,
    });
    expect(new Date(body.wait_until).getTime()).toBeGreaterThan(
      new Date(body.started_at).getTime(),
    );
    expect(
      body.steps.map((step: { step_id: string; status: string }) => [step.step_id, step.status]),
    ).toEqual([
      ['hello', 'succeeded'],
      ['end', 'waiting'],
    ]);
  });

  it('say why they failed', async () => {
    const { id } = await run('failed');

    expect((await call('GET', `/runs/${id}`)).body.error).toEqual({
      step_id: 'end',
      code: 'send_failed',
      message: 'It did not leave.',
    });
  });

  it('outlive their contact', async () => {
    const { id, contactId } = await run('succeeded');

    await rowsOf(ctx, 'delete from contacts where id = $1', [contactId]);

    expect((await call('GET', `/runs/${id}`)).body.contact_id).toBeNull();
  });
});

describe('cancelling a run', () => {
  it.each(RUN_STATUSES)('from %s keeps to the states', async (status) => {
    const { id } = await run(status);
    const goesOn = status === 'running' || status === 'waiting';

    const reply = await call('POST', `/runs/${id}/cancel`);

    if (goesOn) {
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ status: 'cancelled', wait_until: null, error: null });
      expect(reply.body.finished_at).not.toBeNull();
      return;
    }
    expect(reply.status).toBe(409);
    expect(reply.body.error).toMatchObject({
      code: 'invalid_state',
      details: { status, allowed: ['running', 'waiting'] },
    });
    expect(await statusOf(id)).toBe(status);
  });

  it('ends the step at which it stands', async () => {
    const waiting = await run('waiting');
    const running = await run('running');

    const replies = [
      await call('POST', `/runs/${waiting.id}/cancel`),
      await call('POST', `/runs/${running.id}/cancel`),
    ];

    expect(replies.map(({ body }) => body.steps.at(-1).status)).toEqual(['cancelled', 'cancelled']);
  });

  it('happens once for two who ask at the same time, and stands in the log once', async () => {
    const { id } = await run();

    const replies = await Promise.all([1, 2].map(() => call('POST', `/runs/${id}/cancel`)));

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const log = await rowsOf(
      ctx,
      "select target from audit_entries where action = 'automation.run_cancelled'",
    );
    expect(log).toEqual([{ target: { type: 'run', id, name: 'Boas-vindas' } }]);
  });

  it('lets the contact begin anew', async () => {
    const { id, contactId } = await run();
    await expect(aRun(ctx, { automationId, contactId })).rejects.toMatchObject({ code: '23505' });

    await call('POST', `/runs/${id}/cancel`);

    await expect(aRun(ctx, { automationId, contactId })).resolves.toMatch(/^run_/);
  });
});

describe('deactivating with cancel', () => {
  const cancel = (): Promise<Reply> =>
    call('POST', `/automations/${automationId}/deactivate`, { in_progress: 'cancel' });

  it('ends the runs in progress of this automation alone, and no run that has ended', async () => {
    const all = await Promise.all(RUN_STATUSES.map((status) => run(status)));
    const { id: other } = await anActiveAutomation(ctx, { name: 'Outra' });
    const { id: contactId } = await aContact(ctx);
    const elsewhere = await aRun(ctx, { automationId: other, contactId });

    const reply = await cancel();

    expect([reply.status, reply.body.status]).toEqual([200, 'inactive']);
    expect(await Promise.all(all.map(({ id }) => statusOf(id)))).toEqual([
      'cancelled',
      'cancelled',
      'succeeded',
      'failed',
      'cancelled',
      'handed_over',
    ]);
    expect(await statusOf(elsewhere)).toBe('waiting');
  });

  it('also ends what still finishes after a first finish', async () => {
    const { id } = await run();
    await call('POST', `/automations/${automationId}/deactivate`);
    expect(await statusOf(id)).toBe('waiting');

    const reply = await cancel();

    expect([reply.status, reply.body.status]).toEqual([200, 'inactive']);
    expect(await statusOf(id)).toBe('cancelled');
    const [entry] = await rowsOf<{ changes: unknown }>(
      ctx,
      'select changes from audit_entries order by seq desc limit 1',
    );
    expect(entry?.changes).toEqual([{ field: 'runs_cancelled', from: null, to: 1 }]);
  });
});
