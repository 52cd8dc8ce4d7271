import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createJudge } from '../../../src/campaigns/batches/judging.ts';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../../src/gateway/cloud-api/gateway.ts';
import { holdNumber, numberState } from '../../../src/numbers/pacer.ts';
import { opened } from '../../support/opened.ts';
import { eventually } from '../../support/waiting.ts';
import { claimed } from '../support/claimed.ts';
import { detailOf, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

/** What stands between us and WhatsApp answers so while something is wrong; null while all is well. */
let illness: ((res: ServerResponse) => void) | null;
let asked: number;
let edge: Server;
let gateway: CloudApiGateway;
const gatewayWithin = (deadlineMs: number): CloudApiGateway => {
  const baseUrl = `http://127.0.0.1:${(edge.address() as AddressInfo).port}`;
  return createCloudApiGateway({ baseUrl, version: 'v23.0', deadlineMs });
};
beforeEach(async () => {
  illness = null;
  asked = 0;
  edge = createServer((req, res) => {
    asked += 1;
    req.resume();
    if (illness) illness(res);
    else res.end(JSON.stringify({ messages: [{ id: `wamid.${asked}` }] }));
  }).listen(0, '127.0.0.1');
  await once(edge, 'listening');
  gateway = gatewayWithin(2_000);
});
afterEach(async () => {
  await gateway.close();
  edge.closeAllConnections();
  edge.close();
});

const unavailable = (res: ServerResponse): void => void res.writeHead(503).end('upstream');
const reset = (res: ServerResponse): void => void res.destroy();
const silent = (): void => {};

/** How many times in a row the number found that it has to wait. */
const refusalsOf = (made: Made): Promise<number> =>
  test.countOf(made, 'select coalesce(max(refusals), 0) as n from pacers');

describe('an outage that leaves open what became of a message', () => {
  it.each([
    ['answers 503 without saying why', unavailable],
    ['resets each connection', reset],
    ['answers nothing', silent],
  ])(
    'and %s costs what was under way and the probes, and everybody else gets it',
    async (_, ill) => {
      illness = ill;
      const made = await running(test, ordinaryPhones(300));

      const sending = sendAll(test, made, test.through(gateway));
      await eventually(async () => (await refusalsOf(made)) >= 2);
      const during = asked;
      illness = null;
      await sending;

      expect(during).toBeLessThanOrEqual(64 + 32);
      const { status, results } = await detailOf(test, made);
      expect([status, results.sent + results.unconfirmed]).toEqual(['done', 300]);
      expect(results.unconfirmed).toBeLessThanOrEqual(64 + 32);
    },
  );

  it('is not made of a single message without an answer: nobody waits for it', async () => {
    illness = () => {
      illness = null;
    };
    // None that begins beside it misses the deadline too.
    await gateway.close();
    gateway = gatewayWithin(10_000);
    const made = await running(test, ordinaryPhones(300));

    await sendAll(test, made, test.through(gateway));

    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      results: { sent: 299, unconfirmed: 1 },
    });
    expect(await refusalsOf(made)).toBe(0);
  });
});

describe('a number that is tried again', () => {
  const lost = { kind: 'unknown', message: 'No answer' } as const;

  it('is held once more where the try has no answer', () => {
    const { judge, trouble } = createJudge({ recent: [], refusals: 1 });

    judge(claimed, lost);

    expect(trouble()).toMatchObject({ kind: 'hold' });
  });

  it.each([
    ['is slowed by what WhatsApp says', { reason: 'throttled', providerCode: 130429 }, true],
    ['is slowed as the edge asks for it', { reason: 'throttled', providerCode: null }, true],
    [
      'is not slowed as we do not reach it',
      { reason: 'provider_error', providerCode: null },
      false,
    ],
  ] as const)('%s', (_, said, slows) => {
    const { judge, trouble } = createJudge({ recent: [], refusals: 0 });

    judge(claimed, { kind: 'throttled', scope: 'number', retryAfterMs: 1_000, ...said });

    expect(trouble()).toEqual({ kind: 'hold', retryAfterMs: 1_000, slows });
  });

  it('is tried with others next if it was this person whom WhatsApp turned away', () => {
    const turnedAway = { kind: 'throttled', scope: 'recipient', reason: 'provider_error' } as const;
    const result = { ...turnedAway, retryAfterMs: 1_000, providerCode: 131000 };

    const rests = [1, 2, 3, 4, 500].map((refusals) => {
      const settled = createJudge({ recent: [], refusals }).judge(
        { ...claimed, attempts: 9 },
        result,
      );
      return settled.status === 'pending' && !settled.counted ? settled.delayMs : null;
    });

    // Meanwhile the number is held for 2, 4 and then 8 s.
    expect(rests).toEqual([5_000, 9_000, 13_000, 17_000, 301_000]);
  });

  it('is tried with others next however long WhatsApp asks it to wait', () => {
    const turnedAway = { kind: 'throttled', scope: 'recipient', reason: 'provider_error' } as const;
    const result = { ...turnedAway, retryAfterMs: 60_000, providerCode: 131000 };
    const { judge, trouble } = createJudge({ recent: [], refusals: 1 });

    const settled = judge(claimed, result);

    expect(trouble()).toEqual({ kind: 'hold', retryAfterMs: 60_000, slows: true });
    expect(settled.status === 'pending' ? settled.delayMs : 0).toBeGreaterThan(60_000);
  });

  it('is like any other once the try was answered', () => {
    const { judge, trouble } = createJudge({ recent: [], refusals: 1 });

    judge(claimed, { kind: 'accepted', providerId: 'wamid.1' });
    judge(claimed, lost);

    expect(trouble()).toBeNull();
  });
});

it('a number that was told to slow down is let off by the first message that WhatsApp takes', async () => {
  const made = await running(test, ordinaryPhones(2));
  const place = { organizationId: made.ref.organizationId, numberId: made.numberId };
  await test.sqlOf(made, (sql) => holdNumber(sql, place, { retryAfterMs: 0, slows: true }));
  const before = await test.sqlOf(made, (sql) => numberState(sql, place));

  await sendAll(test, made);

  const after = await test.sqlOf(made, (sql) => numberState(sql, place));
  expect([before.refusals, after.refusals]).toEqual([1, 0]);
});
