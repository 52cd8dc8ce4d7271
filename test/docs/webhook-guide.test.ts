import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { webhookRoutes } from '../../src/webhooks/routes.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../src/webhooks/rules.ts';
import { deliveryStatus, deliveryView } from '../../src/webhooks/schema.ts';
import { testKeyring } from '../support/factories/numbers.ts';

const guide = fs.readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

/** 3 810 s → `1 h 3 min 30 s`. */
const inWords = (seconds: number): string =>
  [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
    .filter(([count]) => count !== 0)
    .map((part) => part.join(' '))
    .join(' ') || '0';

describe('the guide to receiving webhooks', () => {
  it('tells when each of the 12 attempts begins, as the rules have it', () => {
    const first = new Date(0);
    const times = [first];
    for (let made = 1; made < MAX_ATTEMPTS; made += 1) {
      const last = times.at(-1) ?? first;
      const past = {
        made,
        firstStartedAt: first,
        lastStartedAt: last,
        retryAfterMs: null,
        now: last,
      };
      times.push(nextAttemptAt(past, { scale: 1, jitter: () => 0 }) ?? first);
    }

    expect(times).toHaveLength(12);
    for (const [n, time] of times.entries())
      expect(guide).toContain(`| ${n + 1} | ${inWords(time.getTime() / 1_000)} |`);
  });

  it('names every call, every status and every reason there is', () => {
    const calls = webhookRoutes({ keyring: testKeyring, trustedOrigins: [] })
      .filter(({ method, path }) => method !== 'GET' || path.includes('deliveries'))
      .map(
        ({ method, path }) => `\`${method} ${path.replace('/v1', '').replace(/:(\w+)/g, '{$1}')}\``,
      );

    expect(calls.length).toBeGreaterThan(9);
    for (const call of calls.filter((each) => each !== '`POST /webhooks`'))
      expect(guide).toContain(call);
    for (const status of deliveryStatus.options) expect(guide).toContain(`| \`${status}\` |`);
    for (const error of deliveryView.shape.error.unwrap().options)
      expect(guide).toContain(`\`${error}\``);
  });
});
