import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { NUMBER, openSimulatorStage, type SimulatorStage } from './support/stage.ts';

let stage: SimulatorStage;
let slow: { sentAt: number; key: string };

beforeAll(async () => {
  stage = await openSimulatorStage();
  slow = { sentAt: Date.now(), key: 'slow' };
  await stage.send('5511980900004', slow.key);
});
afterAll(() => stage.close());

describe('a magic recipient', () => {
  it.each([
    ['5511987654321', ['sent', 'delivered']],
    ['5511980900001', ['sent', 'delivered']],
    ['5511980900002', ['sent', 'delivered', 'read']],
    ['5511980012345', ['sent', 'delivered']],
  ])('%s is accepted and reported as %j', async (to, expected) => {
    const { status, body } = await stage.send(to);

    expect(status).toBe(200);
    expect(body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: expect.stringMatching(/^wamid\./) }],
    });
    await eventually(() => stage.statusesOf(`key-${to}`).length >= expected.length);
    expect(stage.statusesOf(`key-${to}`)).toEqual(expected);
  });

  it.each([
    ['5511980131047', 400, 131047],
    ['5511980131026', 400, 131026],
    ['5511980000190', 401, 190],
    ['5511980000100', 400, 100],
    ['5511980131056', 429, 131056],
    ['5511980130429', 429, 130429],
    ['5511980131031', 403, 131031],
    ['5511980131000', 500, 131000],
    ['5511980139999', 400, 139999],
  ])('%s is refused at once with HTTP %i and error %i', async (to, status, code) => {
    const answer = await stage.send(to);

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { code, type: 'OAuthException' } });
    expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
    const line = stage.simulator.ledger().find((entry) => entry.to === to);
    expect(line).toMatchObject({ wamid: null, decision: `refused:${code}` });
  });

  it.each([
    ['5511981131047', 131047],
    ['5511981000190', 190],
  ])('%s is accepted, then reported as failed with error %i', async (to, code) => {
    const { status } = await stage.send(to);
    await eventually(() => stage.statusesOf(`key-${to}`).length > 0);

    expect(status).toBe(200);
    const statuses = stage.receiver
      .statuses()
      .filter((one) => one.biz_opaque_callback_data === `key-${to}`);
    expect(statuses).toMatchObject([{ status: 'failed', recipient_id: to, errors: [{ code }] }]);
  });

  it('0900003 is throttled twice for each message, then delivered', async () => {
    const to = '5511980900003';
    const answers = [];
    for (let attempt = 0; attempt < 3; attempt += 1) answers.push(await stage.send(to));

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers[0]?.body).toMatchObject({ error: { code: 130429 } });
    await eventually(() => stage.statusesOf(`key-${to}`).length >= 2);
    expect(stage.statusesOf(`key-${to}`)).toEqual(['sent', 'delivered']);

    const inTurns = [];
    for (const key of ['one', 'other', 'one', 'other', 'one', 'other'])
      inTurns.push((await stage.send(to, key)).status);
    expect(inTurns).toEqual([429, 429, 429, 429, 200, 200]);
  });

  it.each([
    ['5511980900005', 'Thanks, I got your message!'],
    ['5511980900006', 'STOP'],
  ])('%s answers %j', async (to, text) => {
    await stage.send(to);
    const mine = () => stage.receiver.messages().filter(({ from }) => from === to);
    // The answer and the statuses before it are posted side by side where both are due.
    await eventually(() => mine().length > 0 && stage.statusesOf(`key-${to}`).length >= 3);

    expect(mine()).toMatchObject([{ type: 'text', text: { body: text } }]);
    expect(stage.statusesOf(`key-${to}`)).toEqual(['sent', 'delivered', 'read']);
  });

  it.each([
    ['5511980900008', ['sent', 'delivered']],
    ['5511980900009', ['failed']],
  ])('%s is held back, then reported as %j', async (to, expected) => {
    const { body } = await stage.send(to);
    const before = stage.statusesOf(`key-${to}`);
    await eventually(() => stage.statusesOf(`key-${to}`).length >= expected.length);

    expect(body.messages).toMatchObject([{ message_status: 'held_for_quality_assessment' }]);
    expect(before).toEqual([]);
    expect(stage.statusesOf(`key-${to}`)).toEqual(expected);
  });

  it('0900007 disconnects the number for everybody until the faults are cleared', async () => {
    const number = '106540352242999';
    const first = await stage.send('5511980900007', 'k1', number);
    const after = await stage.send('5511987654321', 'k2', number);
    const otherNumber = await stage.send('5511987654321', 'k3', NUMBER);
    await stage.faults({ latency_ms: 1 });
    const withOthers = await stage.send('5511987654321', 'k5', number);
    await stage.faults({});
    const cleared = await stage.send('5511987654321', 'k4', number);

    expect([first, after, withOthers].map(({ body }) => body.error.code)).toEqual([190, 190, 190]);
    expect([otherNumber.status, cleared.status]).toEqual([200, 200]);
  });

  it('0900004 is reported after 20 seconds and not before', async () => {
    await eventually(() => stage.statusesOf(slow.key).length > 0);
    const tookMs = Date.now() - slow.sentAt;
    await eventually(() => stage.statusesOf(slow.key).length > 1);

    expect(tookMs).toBeGreaterThanOrEqual(20_000);
    expect(stage.statusesOf(slow.key)).toEqual(['sent', 'delivered']);
  });
});
