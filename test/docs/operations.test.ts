import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import {
  inboundCounts,
  passedOverCounter,
  postponedCounter,
  readyGauge,
  relayGauges,
} from '../../src/figures.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { createLog, logPassedOver, passedOver } from '../../src/log.ts';
import { noFigures } from '../../src/relay/figures.ts';
import type { Relay } from '../../src/relay/relay.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bwms_[a-z_]+[a-z]\b/g)].map(([name]) => name)),
];

/** What `/metrics` of a process shows. */
function registryOf(figures: ReturnType<Relay['figures']>): Registry {
  const registry = new Registry();
  httpMetrics(registry);
  inboundCounts(registry);
  postponedCounter(registry);
  passedOverCounter(registry);
  readyGauge(registry, ['api', 'worker'], async () => true);
  relayGauges(registry, () => ({ figures: () => figures }));
  return registry;
}
const figures: ReturnType<Relay['figures']> = {
  ...noFigures(),
  waiting: 0,
  inFlight: 0,
  sendsInFlight: 0,
  commandsFailed: 3,
  firstAttempts: { succeeded: 5, retrying: 1 },
  sends: { sent: 2 },
};
const registry = registryOf(figures);
const measured = new Map(
  registry.getMetricsAsArray().map(({ name, type }) => [name, String(type)]),
);

const DATABASE_ROLES = ['wms_system'];

describe.each([
  'docs/operations.md',
  'docs/prometheus/alerts.yml',
  'docs/grafana/workspace-messaging.json',
])('%s', (file) => {
  it('names only metrics that the service has', () => {
    const named = metricsIn(read(file)).filter((name) => !DATABASE_ROLES.includes(name));
    const base = named.map((name) => name.replace(/_(bucket|count)$/, ''));

    expect(base.length).toBeGreaterThan(2);
    expect(base.filter((name) => !measured.has(name))).toEqual([]);
  });
});

describe('/metrics', () => {
  it('shows what only grows as counters, and nothing else by their names', () => {
    const counters = [...measured].filter(([, type]) => type === 'counter');
    const totals = [...measured].filter(([name]) => name.endsWith('_total'));

    expect(totals).toEqual(counters);
  });

  it('shows what the relay has counted, however often it is asked', async () => {
    await registry.metrics();
    const text = await registry.metrics();

    expect(text).toContain('wms_webhook_first_attempts_total{status="succeeded"} 5');
    expect(text).toContain('wms_webhook_first_attempts_total{status="retrying"} 1');
    expect(text).toContain('wms_messages_total{outcome="sent"} 2');
    expect(text).toContain('wms_commands_failed_total 3');
  });

  it.each([
    ['wms_facts_waiting', 'factsWaiting'],
    ['wms_facts_dead', 'factsDead'],
    ['wms_facts_oldest_seconds', 'oldestFactSeconds'],
    ['wms_webhook_waiting', 'waiting'],
    ['wms_webhook_in_flight', 'inFlight'],
    ['wms_messages_waiting', 'sendsWaiting'],
    ['wms_messages_oldest_seconds', 'oldestSendSeconds'],
    ['wms_messages_in_flight', 'sendsInFlight'],
    ['wms_inbound_oldest_seconds', 'oldestInboundSeconds'],
    ['wms_automation_triggers_oldest_seconds', 'oldestTriggerSeconds'],
    ['wms_webhook_oldest_seconds', 'oldestWebhookSeconds'],
  ])('shows as %s the relay’s %s', async (metric, figure) => {
    const text = await registryOf({ ...figures, [figure]: 17 }).metrics();

    expect(text).toContain(`\n${metric} 17\n`);
  });

  it('shows what was counted elsewhere as often as it was, however often it is asked', async () => {
    const own = new Registry();
    inboundCounts(own).add('stored', 3);
    passedOverCounter(own);
    const silent = createLog({ level: 'silent', format: 'json' });
    logPassedOver(silent, { err: new Error('no'), organizationId: 'org_1' }, 'passed over');
    const often = passedOver();

    await own.metrics();
    const text = await own.metrics();

    expect(text).toContain('wms_inbound_total{outcome="stored"} 3');
    expect(text).toContain(`\nwms_passed_over_total ${often}\n`);
  });

  it('shows from the start, as 0, each series that an alert names: what begins with its first one does not rise', async () => {
    const named = [
      ...read('docs/prometheus/alerts.yml').matchAll(/wms_\w+_total\{\w+="\w+"\}/g),
    ].map(([series]) => series);
    const fresh = { ...noFigures(), waiting: 0, inFlight: 0, sendsInFlight: 0, sends: {} };
    const shown = (await registryOf(fresh).metrics()).split('\n');

    expect(named).toContain('wms_webhook_first_attempts_total{status="succeeded"}');
    expect(named.filter((series) => !shown.includes(`${series} 0`))).toEqual([]);
  });
});

describe('the rules of the alerts', () => {
  it('are those that the table names, each with its runbook', () => {
    const page = read('docs/operations.md');
    const rules = read('docs/prometheus/alerts.yml');
    const table = page.slice(page.indexOf('| alert |'), page.indexOf('## Runbooks'));
    const exprs = [...rules.matchAll(/expr: (.+)/g)].map(([, expr = '']) => expr);
    const runbooks = [...rules.matchAll(/runbook: docs\/operations\.md, (.+)/g)];

    expect(exprs.length).toBeGreaterThanOrEqual(6);
    expect(exprs.filter((expr) => !table.includes(`\`${expr}\``))).toEqual([]);
    expect(runbooks.filter(([, title]) => !page.includes(`### ${title}\n`))).toEqual([]);
    expect(runbooks).toHaveLength(exprs.length);
  });
});

describe('the dashboard', () => {
  it('is a document that Grafana takes: panels of their own ids, each with a query', () => {
    const { panels, title } = JSON.parse(read('docs/grafana/workspace-messaging.json'));
    const ids = panels.map(({ id }: { id: number }) => id);

    expect(title).toBe('Workspace Messaging');
    expect(new Set(ids).size).toBe(ids.length);
    for (const { targets } of panels) {
      expect(targets).not.toHaveLength(0);
      for (const { expr } of targets) expect(expr).toMatch(/(wms|temporal)_/);
    }
  });

  it('shows every metric of the service, so that nobody is paged for what no panel has', () => {
    const shown = metricsIn(read('docs/grafana/workspace-messaging.json'));
    const base = shown.map((name) => name.replace(/_bucket$/, ''));

    expect([...measured.keys()].filter((name) => !base.includes(name))).toEqual([]);
  });
});
