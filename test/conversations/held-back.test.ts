import { expect, it } from '@jest/globals';
import { applyStatuses, type StatusReport } from '../../src/conversations/receiving/statuses.ts';
import { transact } from '../../src/db/transact.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, rows, kept, becomes, ledgerOf } = laneScene();

const template = { name: 'boas_vindas', language: 'pt_BR', parameters: ['Ana'] };

/** A template that the lane has given to WhatsApp, and what WhatsApp then reports of it. */
async function held(phone: string) {
  const { conversationId, numberId } = await aTalk({ phone });
  const id = await say(conversationId, { text: '', template });
  await aRelay();
  await becomes(id, 'unconfirmed');
  const report = async (what: Pick<StatusReport, 'status' | 'error'>): Promise<void> => {
    const about = { correlation: id, providerId: ledgerOf(id)[0]?.wamid ?? '', at: new Date() };
    await transact(scene.ctx, ({ sql, organizationId }) =>
      applyStatuses(sql, organizationId, numberId, [{ ...about, ...what }]),
    );
  };
  return { id, conversationId, report };
}

const told = (id: string): Promise<unknown[]> =>
  rows(`select 1 from events where body::jsonb->'data'->'message'->>'id' = $1`, [id]);

it('A template that WhatsApp holds back is told as sent once WhatsApp reports it, and never sent again', async () => {
  await anEndpoint(scene.ctx, 'https://hooks.example.com/held');
  const { id, conversationId, report } = await held('+5511980900008');
  const before = await kept(id);
  const next = await say(conversationId);
  await becomes(next, 'unconfirmed');
  const toldBefore = await told(id);

  await report({ status: 'sent', error: null });
  await eventually(async () => (await told(id)).length > 0);

  expect(before).toMatchObject({
    provider_id: ledgerOf(id)[0]?.wamid,
    error: { reason: 'unconfirmed', code: 'held' },
  });
  expect(toldBefore).toEqual([]);
  expect(await kept(id)).toMatchObject({ status: 'sent', error: null });
  expect([(await told(id)).length, ledgerOf(id).length]).toEqual([1, 1]);
});

it('A template that WhatsApp held back and drops is lost, with its reason', async () => {
  const { id, report } = await held('+5511980900009');
  const reason = 'template_invalid';

  await report({
    status: 'failed',
    error: { reason, code: reason, provider_code: 132015, message: 'Template is paused' },
  });

  expect(await kept(id)).toMatchObject({ status: 'failed', error: { reason } });
});
