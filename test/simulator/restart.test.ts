import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { NUMBER, openSimulatorStage } from './support/stage.ts';

let folder: string;
let ledgerFile: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
  ledgerFile = path.join(folder, 'ledger.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ORDINARY = '5511987654321';
const ANSWERS_STOP = '5511980900006';

async function earlier(
  act: (stage: Awaited<ReturnType<typeof openSimulatorStage>>) => Promise<void>,
) {
  const stage = await openSimulatorStage({ ledgerFile });
  await act(stage);
  await stage.close();
}

describe('a simulator that is started again', () => {
  it('tells what the service had not taken when it stopped', async () => {
    await earlier(async (stage) => {
      stage.receiver.answerWith(503);
      await stage.send(ORDINARY);
      await stage.send(ANSWERS_STOP);
      await stage.send('DE.someone', 'a user');
    });
    const stage = await openSimulatorStage({ ledgerFile });
    await eventually(() => stage.receiver.messages().length === 1);
    await eventually(() => stage.statusesOf('a user').length === 2);
    // The answer and the statuses before it are posted side by side where both are due.
    await eventually(() => stage.statusesOf(`key-${ORDINARY}`).length === 2);
    await eventually(() => stage.statusesOf(`key-${ANSWERS_STOP}`).length === 3);

    expect(stage.statusesOf(`key-${ORDINARY}`)).toEqual(['sent', 'delivered']);
    expect(stage.statusesOf(`key-${ANSWERS_STOP}`).toSorted()).toEqual([
      'delivered',
      'read',
      'sent',
    ]);
    const ofUser = stage.receiver
      .statuses()
      .filter((one) => one.biz_opaque_callback_data === 'a user');
    expect(ofUser.map((one) => 'recipient_id' in one)).toEqual([false, false]);
    expect(stage.receiver.messages()).toMatchObject([
      { from: ANSWERS_STOP, text: { body: 'STOP' } },
    ]);
    await stage.close();
  });

  it('keeps the time of what is to come later', async () => {
    await earlier(async (stage) => {
      await stage.send('5511980900004');
    });
    const stage = await openSimulatorStage({ ledgerFile });
    await sleep(500);

    expect(stage.receiver.received).toHaveLength(0);
    await stage.close();
    const line = stage.simulator.ledger()[0];
    const later = await openSimulatorStage({ ledgerFile });
    await eventually(() => later.statusesOf('key-5511980900004').length === 2);

    expect(Date.now() - (line?.t ?? 0)).toBeGreaterThanOrEqual(20_000);
    await later.close();
  });

  it('tells nothing twice that was taken, and shows how it ended', async () => {
    await earlier(async (stage) => {
      await stage.send(ORDINARY);
      await eventually(() => stage.statusesOf(`key-${ORDINARY}`).length === 2);
      await sleep(100);
    });
    const stage = await openSimulatorStage({ ledgerFile });
    await sleep(500);
    const shown = await stage.get(
      `/simulator/phone?phone_number_id=${NUMBER}&person=${ORDINARY}&seen=0`,
    );

    expect(stage.receiver.received).toHaveLength(0);
    expect(shown.body).toMatchObject({ messages: [{ status: 'delivered' }] });
    await stage.close();
  });

  it('has one reply of a person, though it tells of it twice', async () => {
    const told: string[] = [];
    for (const status of [503, 503]) {
      const stage = await openSimulatorStage({ ledgerFile });
      stage.receiver.answerWith(status);
      if (stage.simulator.ledger().length === 0) await stage.send(ANSWERS_STOP);
      await eventually(() => stage.receiver.messages().length > 0);
      told.push(stage.receiver.messages()[0]?.id ?? '');
      await stage.close();
    }

    expect(told[1]).toBe(told[0]);
  });
});
