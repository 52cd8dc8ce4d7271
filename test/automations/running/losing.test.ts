import { describe, expect, it } from '@jest/globals';
import { actOnHappening } from '../../../src/automations/running/listening/happenings.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import { lostOutcome } from '../../../src/conversations/lane/outcomes.ts';
import { settle } from '../../../src/conversations/lane/settling.ts';
import { applyStatuses } from '../../../src/conversations/receiving/statuses.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import type { LossReason } from '../../../src/gateway/port.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const TOKEN = '0195c1f0-0000-7000-8000-000000000001';
const steps = [
  { id: 'a', type: 'send_message', text: 'Olá!', next: 'w' },
  { id: 'w', type: 'wait', duration: 'P1D', next: 'end' },
];

const messageOf = async (scene: RunScene, runId: string): Promise<string> => {
  const [row] = await scene.rows<{ id: string }>(
    'select id from messages where run_id = $1',
    runId,
  );
  return row?.id ?? '';
};

/** The lane of messages writes down that WhatsApp refused one. */
async function refuse(scene: RunScene, messageId: string, reason: LossReason): Promise<void> {
  const { organizationId } = scene.ctx;
  await scene.rows('update outgoing_messages set claim_token = $1', TOKEN);
  const request = { organizationId, token: TOKEN, now: scene.now };
  await inWorkspace(stage.database, organizationId, (sql) =>
    settle(sql, request, [{ messageId, outcome: lostOutcome(reason, 'WhatsApp says no.') }]),
  );
}

/** WhatsApp reports it later. */
const report = (
  scene: RunScene,
  messageId: string,
  status: 'failed' | 'delivered',
): Promise<unknown> =>
  inWorkspace(stage.database, scene.ctx.organizationId, (sql) =>
    applyStatuses(sql, scene.ctx.organizationId, scene.numberId, [
      {
        correlation: messageId,
        providerId: 'wamid.1',
        status,
        at: scene.now,
        error:
          status === 'failed'
            ? { reason: 'no_whatsapp', code: 'no_whatsapp', provider_code: 131026, message: 'No.' }
            : null,
      },
    ]),
  );

const waiting = (scene: RunScene): Promise<{ id: string }[]> =>
  scene.rows<{ id: string }>('select id from automation_triggers order by id');

/** What the lane of automations does with all that happened. */
async function actOnAll(scene: RunScene): Promise<void> {
  for (const { id } of await waiting(scene))
    await transact({ ...scene.ctx, now: scene.now }, (tx) => actOnHappening(tx, id, false));
}

const failures = (scene: RunScene): Promise<unknown[]> =>
  scene.rows(
    "select payload::jsonb #> '{data,run}' ->> 'step_id' as step from facts where type = 'automation.failed'",
  );

describe('a message of a run that is lost after it was queued', () => {
  it.each([
    ['no_whatsapp', 'send_failed'],
    ['out_of_window', 'out_of_window'],
    ['number_unavailable', 'number_unavailable'],
  ] as const)(
    'for %s fails the run with %s, once, at the step that sent it',
    async (reason, code) => {
      const scene = await aRunScene(stage);
      const { runId } = await play(scene, steps);
      const messageId = await messageOf(scene, runId);

      await refuse(scene, messageId, reason);
      await actOnAll(scene);
      await report(scene, messageId, 'failed');
      await actOnAll(scene);

      expect(await scene.run(runId)).toMatchObject({ status: 'failed', code });
      expect(await failures(scene)).toEqual([{ step: 'a' }]);
      expect(await waiting(scene)).toEqual([]);
      const told = "select 1 from facts where type = 'run.ended' and payload like '%' || $1 || '%'";
      expect(await scene.rows(told, runId)).toHaveLength(1);
      expect(await scene.rows('select handled_by as by from conversations')).toEqual([
        { by: 'none' },
      ]);
    },
  );

  it('fails it also when WhatsApp reports it later, and never when a delivery has healed it', async () => {
    const scene = await aRunScene(stage);
    const lostRun = await play(scene, steps);
    const healed = await play(scene, steps);
    await scene.rows("update messages set status = 'sent', sent_at = now()");
    await report(scene, await messageOf(scene, lostRun.runId), 'failed');
    await scene.rows('update messages set provider_id = null');
    const second = await messageOf(scene, healed.runId);
    await report(scene, second, 'failed');
    await report(scene, second, 'delivered');

    await actOnAll(scene);

    expect((await scene.run(lostRun.runId)).status).toBe('failed');
    expect((await scene.run(healed.runId)).status).toBe('waiting');
    expect(await scene.rows('select handled_by as by from conversations')).toEqual([
      { by: 'automation' },
    ]);
  });

  it('changes nothing for a run that has ended, or that ends meanwhile', async () => {
    const scene = await aRunScene(stage);
    const ended = await play(scene, [{ ...steps[0], next: 'end' }]);
    const ends = await play(scene, steps);
    for (const { runId } of [ended, ends])
      await refuse(scene, await messageOf(scene, runId), 'policy');
    expect(await waiting(scene)).toHaveLength(1);
    await cancelRun(scene.ctx, ends.runId);

    await actOnAll(scene);

    expect((await scene.run(ended.runId)).status).toBe('succeeded');
    expect((await scene.run(ends.runId)).status).toBe('cancelled');
    expect(await failures(scene)).toEqual([]);
    expect(await waiting(scene)).toEqual([]);
  });
});
