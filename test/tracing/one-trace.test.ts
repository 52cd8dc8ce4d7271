import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { begin } from '../chaos/support/acts.ts';
import { type OpenChaosStage, openChaosStage } from '../chaos/support/stage.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { until } from '../support/processes/child.ts';
import { type Collector, openCollector, type Seen } from './collector.ts';

const CALLERS_TRACE = 'abcdef0123456789abcdef0123456789';
const WRITER = '+5511977001122';
const WORDS = 'Quero saber mais';

let stage: OpenChaosStage;
let collector: Collector;

/** A process with both roles sends a campaign and is written to; then it ends, and has told everything. */
beforeAll(async () => {
  collector = await openCollector();
  stage = await openChaosStage({ events: ['message.sent'] });
  await anActiveAutomation(stage.ctx);
  const [{ wa } = { wa: '' }] = await stage.rows<{ wa: string }>(
    'select phone_number_id as wa from numbers',
  );
  const service = await stage.processes.start('api,worker', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=of-the-test',
    OTEL_SERVICE_NAME: 'padaria',
  });

  // Else a report of WhatsApp may be the first to say that the message was sent, and the webhook is its.
  await stage.processes.simulator.faults({ status_webhooks: false });
  stage.receiver.answerWith(500);
  const campaign = await stage.aCampaign(1);
  const headers = { traceparent: `00-${CALLERS_TRACE}-1122334455667788-01` };
  await fetch(`${service.baseUrl}/api/v1/campaigns`, { headers });
  await begin(stage, service, campaign);
  await until('a webhook is refused', async () => stage.receiver.receipts.length >= 1);
  stage.receiver.answerWith(204);
  await until('it is taken', async () => stage.receiver.receipts.some((r) => r.status === 204));

  await fetch(`${stage.processes.simulator.url}/simulator/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number_id: wa, from: WRITER, name: 'Ana', text: WORDS }),
  });
  await until('the answer is told', async () =>
    stage.receiver.receipts.some(({ event }) => event.data.run || sourceOf(event) === 'automation'),
  );
  await service.kill('SIGTERM');
});

afterAll(async () => {
  await stage.close();
  await collector.close();
});

const sourceOf = (event: { readonly data: object }): unknown => Reflect.get(event.data, 'source');

const named = (name: string): Seen[] => collector.spans.filter((span) => span.name === name);

/** The trace that begins with a request to the route and has a span of that name. */
function traceOf(route: string, name: string): readonly Seen[] {
  const [first] = named(route).filter(({ traceId }) =>
    named(name).some((span) => span.traceId === traceId),
  );
  expect(first?.parentSpanId).toBe('');
  return collector.spans.filter(({ traceId }) => traceId === first?.traceId);
}

const namesIn = (trace: readonly Seen[]): string[] => [...new Set(trace.map(({ name }) => name))];

describe('a trace', () => {
  it('leads from the call that sends a campaign over fact, workflow and activity to WhatsApp and to the webhook, retried', () => {
    const trace = traceOf('POST /v1/campaigns/:id/send', 'whatsapp send');

    expect(namesIn(trace)).toEqual(
      expect.arrayContaining([
        'relay campaign.started',
        'activity freezeCampaign',
        'activity sendCampaignBatch',
        'whatsapp send',
        'relay delivery.retrying',
        'activity retryWebhook',
        'webhook attempt',
      ]),
    );
    const attempts = trace.filter(({ name }) => name === 'webhook attempt');
    expect(attempts.map((span) => span.attributes['http.response.status_code'])).toEqual(
      expect.arrayContaining([500, 204]),
    );
  });

  it('leads from what somebody wrote over the automation that answers to WhatsApp and to the webhook', () => {
    const trace = traceOf('POST /webhooks/whatsapp', 'act on a happening');

    expect(namesIn(trace)).toEqual(
      expect.arrayContaining([
        'take in what people wrote',
        'act on a happening',
        'whatsapp send',
        'webhook attempt',
      ]),
    );
  });

  it('is one tree: each span hangs on another of its trace, and one on none', () => {
    const ids = new Set(collector.spans.map(({ traceId, spanId }) => traceId + spanId));
    const lost = collector.spans.filter(
      ({ traceId, parentSpanId }) => parentSpanId && !ids.has(traceId + parentSpanId),
    );
    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId);

    expect(collector.spans.length).toBeGreaterThan(15);
    expect(lost).toEqual([]);
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(roots.length);
  });

  it('begins with us: a caller’s own is linked to, so that no stranger chooses what is kept', () => {
    const asked = collector.spans.filter(({ links }) => links.includes(CALLERS_TRACE));

    expect(asked).toMatchObject([{ parentSpanId: '', links: [CALLERS_TRACE] }]);
    expect(collector.spans.filter(({ traceId }) => traceId === CALLERS_TRACE)).toEqual([]);
  });

  it('goes to the collector as the settings say, and names nobody and no secret', () => {
    expect([...collector.senders]).toEqual(['/v1/traces padaria of-the-test']);
    // A phone by itself: times in nanoseconds and ids hold its first digits now and then.
    expect(collector.text).not.toMatch(
      /sk_live_|whsec_|Bearer|\b55119\d{8}\b|Cliente \d|Quero saber/,
    );
  });
});
