import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { NUMBER, openHouse } from './support/house.ts';

let folder: string;
let ledgerFile: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
  ledgerFile = path.join(folder, 'ledger.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ORDINARY = '5511987654321';
const ANSWERS_STOP = '5511980900006';

async function earlier(act: (house: Awaited<ReturnType<typeof openHouse>>) => Promise<void>) {
  const house = await openHouse({ ledgerFile });
  await act(house);
  await house.close();
}

describe('a simulator that is started again', () => {
  it('tells what the service had not taken when it stopped', async () => {
    await earlier(async (house) => {
      house.receiver.answerWith(503);
      await house.send(ORDINARY);
      await house.send(ANSWERS_STOP);
      await house.send('DE.someone', 'a user');
    });
    const house = await openHouse({ ledgerFile });
    await eventually(() => house.receiver.messages().length === 1);
    await eventually(() => house.statusesOf('a user').length === 2);

    expect(house.statusesOf(`key-${ORDINARY}`)).toEqual(['sent', 'delivered']);
    expect(house.statusesOf(`key-${ANSWERS_STOP}`).toSorted()).toEqual([
      'delivered',
      'read',
      'sent',
    ]);
    const ofUser = house.receiver
      .statuses()
      .filter((one) => one.biz_opaque_callback_data === 'a user');
    expect(ofUser.map((one) => 'recipient_id' in one)).toEqual([false, false]);
    expect(house.receiver.messages()).toMatchObject([
      { from: ANSWERS_STOP, text: { body: 'STOP' } },
    ]);
    await house.close();
  });

  it('keeps the time of what is to come later', async () => {
    await earlier(async (house) => {
      await house.send('5511980900004');
    });
    const house = await openHouse({ ledgerFile });
    await sleep(500);

    expect(house.receiver.received).toHaveLength(0);
    await house.close();
    const line = house.simulator.ledger()[0];
    const later = await openHouse({ ledgerFile });
    await eventually(() => later.statusesOf('key-5511980900004').length === 2);

    expect(Date.now() - (line?.t ?? 0)).toBeGreaterThanOrEqual(20_000);
    await later.close();
  });

  it('tells nothing twice that was taken, and shows how it ended', async () => {
    await earlier(async (house) => {
      await house.send(ORDINARY);
      await eventually(() => house.statusesOf(`key-${ORDINARY}`).length === 2);
      await sleep(100);
    });
    const house = await openHouse({ ledgerFile });
    await sleep(500);
    const shown = await house.get(
      `/simulator/phone?phone_number_id=${NUMBER}&person=${ORDINARY}&seen=0`,
    );

    expect(house.receiver.received).toHaveLength(0);
    expect(shown.body).toMatchObject({ messages: [{ status: 'delivered' }] });
    await house.close();
  });

  it('has one reply of a person, though it tells of it twice', async () => {
    const told: string[] = [];
    for (const status of [503, 503]) {
      const house = await openHouse({ ledgerFile });
      house.receiver.answerWith(status);
      if (house.simulator.ledger().length === 0) await house.send(ANSWERS_STOP);
      await eventually(() => house.receiver.messages().length > 0);
      told.push(house.receiver.messages()[0]?.id ?? '');
      await house.close();
    }

    expect(told[1]).toBe(told[0]);
  });
});
