import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { aCampaignScene, type CampaignScene, openCampaignDoor, soon } from './support/door.ts';

let scene: CampaignScene;

const door = opened(openCampaignDoor);
beforeEach(async () => {
  scene = await aCampaignScene(door);
});

describe('the steps of a campaign', () => {
  const steps = {
    draft: [],
    scheduled: ['schedule'],
    sending: ['send'],
    paused: ['send', 'pause'],
    done: ['send'],
    cancelled: ['cancel'],
  } as const;
  /** What no call does: its last recipient is settled. */
  const finish = (id: string): Promise<unknown> =>
    inWorkspace(door.database, scene.ctx.organizationId, (sql) =>
      sql.rows("update campaigns set status = 'done', finished_at = now() where id = $1", [id]),
    );
  const allowed: Record<string, readonly string[]> = {
    send: ['draft'],
    schedule: ['draft'],
    unschedule: ['scheduled'],
    pause: ['sending'],
    resume: ['paused'],
    cancel: ['draft', 'scheduled', 'sending', 'paused'],
  };
  const after: Record<string, string> = {
    send: 'sending',
    schedule: 'scheduled',
    unschedule: 'draft',
    pause: 'paused',
    resume: 'sending',
    cancel: 'cancelled',
  };
  const cases = Object.keys(steps).flatMap((status) =>
    Object.keys(allowed).map((step) => [step, status] as [string, keyof typeof steps]),
  );
  const take = (id: string, step: string): Promise<Reply> =>
    scene.call('POST', `/campaigns/${id}/${step}`, step === 'schedule' ? {} : undefined);

  it.each(cases)('%s from %s goes as the table says', async (step, status) => {
    const id = await scene.created({ when: soon() });
    for (const before of steps[status]) expect((await take(id, before)).status).toBe(200);
    if (status === 'done') await finish(id);

    const reply = await take(id, step);

    if (allowed[step]?.includes(status)) {
      expect(reply.status).toBe(200);
      expect(reply.body.status).toBe(after[step]);
    } else {
      expect(reply.status).toBe(409);
      expect(reply.body.error).toMatchObject({
        code: 'invalid_state',
        details: { status, allowed: allowed[step] },
      });
      expect((await scene.call('GET', `/campaigns/${id}`)).body.status).toBe(status);
    }
  });

  it('edit and delete only what is a draft', async () => {
    const id = await scene.created();
    await take(id, 'send');

    expect((await scene.call('PATCH', `/campaigns/${id}`, { name: 'x' })).body.error.code).toBe(
      'invalid_state',
    );
    expect((await scene.call('DELETE', `/campaigns/${id}`)).body.error.code).toBe('invalid_state');
  });

  it('start no workflow for a draft that is cancelled', async () => {
    await take(await scene.created(), 'cancel');

    expect(await scene.commands()).toEqual([]);
  });

  it('record one fact for whoever has to act on them', async () => {
    const id = await scene.created({ when: soon() });

    for (const step of ['schedule', 'unschedule', 'send', 'pause', 'resume', 'cancel'])
      await take(id, step);

    expect(await scene.commands()).toEqual([
      'campaign.started',
      'campaign.changed',
      'campaign.started',
      'campaign.changed',
      'campaign.started',
      'campaign.started',
    ]);
  });

  it('leave in the log for when a campaign was scheduled, also by the time that it had', async () => {
    const id = await scene.created({ when: soon() });
    const at = new Date(Date.now() + 7_200_000).toISOString();

    await scene.call('POST', `/campaigns/${id}/schedule`, { when: at });
    await take(id, 'unschedule');
    await take(id, 'schedule');

    const entries = await inWorkspace(door.database, scene.ctx.organizationId, (sql) =>
      sql.rows<{ action: string; changes: unknown }>(
        'select action, changes from audit_entries order by id',
      ),
    );
    const scheduled = [
      { field: 'status', from: 'draft', to: 'scheduled' },
      { field: 'send_at', from: null, to: at },
    ];
    expect(entries.slice(-3).map(({ changes }) => changes)).toEqual([
      scheduled,
      [{ field: 'status', from: 'scheduled', to: 'draft' }],
      scheduled,
    ]);
  });

  it('need a time before a schedule', async () => {
    const id = await scene.created();

    const without = await scene.call('POST', `/campaigns/${id}/schedule`, {});
    const past = await scene.call('POST', `/campaigns/${id}/schedule`, {
      when: '2020-01-01T00:00:00Z',
    });
    const given = await scene.call('POST', `/campaigns/${id}/schedule`, { when: soon() });

    expect(without.body.error.details).toMatchObject([{ path: 'when', rule: 'required' }]);
    expect(past.body.error.details).toMatchObject([{ path: 'when', rule: 'when_range' }]);
    expect(given.body).toMatchObject({ status: 'scheduled', pause_reason: null });
    expect(Date.parse(given.body.estimated_finish_at)).toBeGreaterThan(
      Date.parse(given.body.send_at),
    );
  });

  it('need five minutes before a schedule, of a time that they were made with too', async () => {
    const id = await scene.created({ when: soon() });
    await inWorkspace(door.database, scene.ctx.organizationId, (sql) =>
      sql.rows("update campaigns set send_at = now() + interval '4 minutes' where id = $1", [id]),
    );

    const late = await scene.call('POST', `/campaigns/${id}/schedule`, {});

    expect(late.body.error.details).toMatchObject([{ path: 'when', rule: 'when_range' }]);
    expect((await scene.call('GET', `/campaigns/${id}`)).body.status).toBe('draft');
  });

  it('end at the plan’s recipients of the month', async () => {
    await inWorkspace(door.database, scene.ctx.organizationId, (sql) =>
      sql.rows(
        `insert into campaigns (organization_id, id, name, status, number_id, target, text, created_by, total, excluded, frozen_at, started_at, created_at)
         values ($1, $2, 'earlier', 'done', $3, 'contacts', 'x', '{}', 3000, '{"opted_out": 2}', now(), now(), now())`,
        [scene.ctx.organizationId, newId('cmp'), scene.numberId],
      ),
    );
    await setPlan(scene.ctx, 'essencial');
    const two = await scene.created({ contact_ids: scene.contactIds.slice(0, 2) });
    const three = await scene.created();

    const over = await take(three, 'send');
    const fits = await take(two, 'send');

    expect(over.status).toBe(409);
    expect(over.body.error).toMatchObject({
      code: 'quota',
      details: { limit: 3000, used: 2998, plan: 'essencial' },
    });
    expect(fits.status).toBe(200);
  });
});
