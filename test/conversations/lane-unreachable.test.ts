import { expect, it } from '@jest/globals';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { ownPort } from '../support/ports.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, rows, becomes } = laneScene();

it('a number stays well while we do not reach WhatsApp, and sends once we do', async () => {
  const { numberId, conversationId } = await aTalk();
  const port = await ownPort();
  await aRelay(`http://127.0.0.1:${port}`);
  const message = await say(conversationId);
  await eventually(async () => {
    const tried = await rows('select from pacers where number_id = $1 and refusals > 1', [
      numberId,
    ]);
    return tried.length > 0;
  });

  await rows("update pacers set slowed_since = slowed_since - interval '5 minutes'");
  await runUpkeep({
    workflow: 'checkNumbers',
    history: 'check-numbers',
    database: scene.database,
    now: new Date(),
  });

  const standing = 'select status, status_reason from numbers where id = $1';
  expect(await rows(standing, [numberId])).toEqual([{ status: 'connected', status_reason: null }]);
  const whatsApp = await startSimulator({
    port,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  await becomes(message, 'sent');
  await whatsApp.stop();
});
