import { beforeAll, describe, expect, it } from '@jest/globals';
import { failRun, type RunFailure } from '../../../src/automations/failing.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import { transact } from '../../../src/db/transact.ts';
import { anActiveAutomation, aRun } from '../../support/factories/automations.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import { eventScene, type Shop } from './support/scene.ts';

const { aShop, owner } = eventScene();

let shop: Shop;
let automationId: string;
beforeAll(async () => {
  shop = await aShop();
  automationId = (await anActiveAutomation(shop.ctx)).id;
});

/** A run of its own contact, in a conversation unless told. */
async function running({ status = 'waiting', talking = true } = {}) {
  const contactId = (await aContact(shop.ctx)).id;
  const pair = { numberId: shop.numberId, contactId };
  const conversationId = talking ? await aConversation(shop.ctx, pair) : null;
  const wishes = { automationId, contactId, conversationId, status: status as 'waiting' };
  return { runId: await aRun(shop.ctx, wishes), contactId, conversationId };
}

const because = (runId: string, wishes: Partial<RunFailure> = {}): RunFailure => ({
  runId,
  stepId: 'hello',
  stepType: 'send_message',
  error: { code: 'out_of_window', message: 'The 24-hour window is closed.' },
  ...wishes,
});

const later = () => ({ ...shop.ctx, now: new Date(shop.ctx.now.getTime() + 5_000) });
const eventsOf = async (runId: string) =>
  (await shop.events('automation.failed')).filter(({ run }) => run.id === runId);

describe('automation.failed', () => {
  it.each(['waiting', 'running'])(
    'ends a run that is %s, and its step, and tells why',
    async (status) => {
      const { runId, contactId, conversationId } = await running({ status });
      const ctx = later();

      expect(await failRun(ctx, because(runId))).toBe(true);

      expect(await eventsOf(runId)).toEqual([
        {
          automation: { id: automationId, name: 'Boas-vindas', version: 1 },
          run: {
            id: runId,
            started_at: shop.ctx.now.toISOString(),
            failed_at: ctx.now.toISOString(),
            step_id: 'hello',
            step_type: 'send_message',
          },
          error: { code: 'out_of_window', message: 'The 24-hour window is closed.' },
          contact_id: contactId,
          conversation_id: conversationId,
          number_id: shop.numberId,
        },
      ]);
      const { body } = await shop.call('GET', `/runs/${runId}`);
      expect(body).toMatchObject({
        status: 'failed',
        wait_until: null,
        finished_at: ctx.now.toISOString(),
        error: { step_id: 'hello', code: 'out_of_window' },
        steps: [{ status: 'succeeded' }, { status: 'failed', error: { code: 'out_of_window' } }],
      });
    },
  );

  it('has no conversation, number or step where the run has none', async () => {
    const { runId, contactId } = await running({ talking: false });
    const error = { code: 'definition_error', message: 'There is no such step.' } as const;

    await failRun(later(), because(runId, { stepId: null, stepType: null, error }));

    expect(await eventsOf(runId)).toMatchObject([
      {
        run: { step_id: null, step_type: null },
        error,
        contact_id: contactId,
        conversation_id: null,
        number_id: null,
      },
    ]);
  });

  it('is told once, however many fail the run at once', async () => {
    const { runId } = await running();

    const ended = await Promise.all(
      Array.from({ length: 5 }, () => {
        const em = shop.ctx.em.fork();
        em.setFilterParams('tenant', { organizationId: shop.ctx.organizationId });
        return failRun({ ...later(), em }, because(runId));
      }),
    );

    expect(ended.filter((did) => did)).toHaveLength(1);
    expect(await eventsOf(runId)).toHaveLength(1);
  });

  it.each(['succeeded', 'failed', 'cancelled', 'handed_over'])(
    'changes and tells nothing of a run that is %s, nor of one that never was',
    async (status) => {
      const { runId } = await running({ status });
      const row = () => shop.rows('select * from automation_runs where id = $1', [runId]);
      const before = await row();

      expect(await failRun(later(), because(runId))).toBe(false);
      expect(await failRun(later(), because('run_nobody'))).toBe(false);

      expect([await row(), await eventsOf(runId)]).toEqual([before, []]);
    },
  );

  it('is not told of a run that was cancelled', async () => {
    const { runId } = await running();

    await cancelRun(shop.ctx, runId);

    expect(await failRun(later(), because(runId))).toBe(false);
    expect(await eventsOf(runId)).toEqual([]);
  });

  it('reaches no run of another workspace', async () => {
    const { runId } = await running();
    const stranger = await aShop();

    expect(await failRun(stranger.ctx, because(runId))).toBe(false);
    expect([await eventsOf(runId), await stranger.events('automation.failed')]).toEqual([[], []]);
  });

  it('is kept if and only if the change is', async () => {
    const { runId } = await running();
    await owner(refuseEventsWith(runId));

    await expect(failRun(later(), because(runId))).rejects.toThrow('refused by the test');
    const status = () => shop.rows('select status from automation_runs where id = $1', [runId]);
    const refused = await status();
    await owner(REFUSE_NO_MORE);
    await transact(later(), (tx) => failRun(tx, because(runId)));

    expect([refused, await status()]).toEqual([[{ status: 'waiting' }], [{ status: 'failed' }]]);
    expect(await eventsOf(runId)).toHaveLength(1);
  });
});
