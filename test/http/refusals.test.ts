import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countRefusals } from '../../src/http/callers/refusals.ts';
import { operationalMounts } from '../../src/http/serving/health.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { createLog } from '../../src/log.ts';
import { aCredential } from '../support/credentials.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

describe('the refusals of an address', () => {
  it('are counted for a minute of the clock, each address by itself', () => {
    const time = { ms: 59_000 };
    const refusals = countRefusals(() => time.ms);

    const counts = ['1.2.3.4', '1.2.3.4', '5.6.7.8'].map((ip) => refusals.add(ip));
    const most = refusals.most();
    time.ms = 60_000;

    expect([counts, most]).toEqual([[1, 2, 1], 2]);
    expect(refusals.most()).toBe(0);
    expect(refusals.add('1.2.3.4')).toBe(1);
  });

  it('take no more memory than ten thousand addresses do', () => {
    const refusals = countRefusals(() => 0);

    for (let i = 0; i < 10_000; i += 1) refusals.add(`10.0.${i >> 8}.${i & 255}`);
    const beyond = [1, 2, 3].map((i) => refusals.add(`11.0.0.${i}`));

    expect(beyond).toEqual([1, 2, 3]);
    expect(refusals.add('10.0.0.0')).toBe(2);
  });
});

describe('somebody who guesses', () => {
  let door: OpenDoor;
  const said: unknown[] = [];
  const metrics = httpMetrics(undefined, () => 0);

  beforeAll(async () => {
    const log = createLog({ level: 'silent', format: 'json' });
    log.warn = (about: unknown) => {
      said.push(about);
    };
    const mounts = operationalMounts([], metrics);
    const trustedProxies = ['127.0.0.1/32'];
    door = await openDoor({ routes: noteRoutes, metrics, mounts, trustedProxies, log });
  });
  afterAll(() => door.close());

  it('is seen in the figures and named in the log, once a minute', async () => {
    const from = (ip: string, key?: string) =>
      door.api.call('GET', '/api/v1/notes', { key, headers: { 'x-forwarded-for': ip } });
    const { key } = await aCredential(door.database, { scopes: ['forms:read'] });

    for (let i = 0; i < 60; i += 1) await from('203.0.113.9');
    for (let i = 0; i < 60; i += 1) await from('203.0.113.9', key);
    for (let i = 0; i < 3; i += 1) await from('203.0.113.10');
    const { text } = await door.api.call('GET', '/metrics');

    expect(text).toContain('wms_http_unauthorized_total 63');
    expect(text).toContain('wms_http_forbidden_total 60');
    expect(text).toContain('wms_http_refusals_of_one_address 120');
    expect(text).not.toContain('203.0.113');
    expect(said).toEqual([{ ip: '203.0.113.9', refused: 100 }]);
  });
});
