import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLog } from '../../src/log.ts';
import { inSpan } from '../../src/tracing/spans.ts';
import { startTracing, type Tracing } from '../../src/tracing/start.ts';
import { type Collector, openCollector } from './collector.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

let collector: Collector;
let tracing: Tracing | undefined;
const log = createLog({ level: 'silent', format: 'json' });
const { [ENDPOINT]: before } = process.env;

beforeEach(async () => {
  collector = await openCollector();
});
afterEach(async () => {
  await tracing?.stop();
  if (before === undefined) delete process.env[ENDPOINT];
  else process.env[ENDPOINT] = before;
  await collector.close();
});

/** As the service does at its start, for so many of its traces. */
async function start(share: number): Promise<void> {
  const { url } = collector;
  process.env[ENDPOINT] = url;
  tracing = await startTracing(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_SERVICE_NAME: 'padaria',
      OTEL_TRACES_SAMPLER_ARG: share,
      ROLES: ['api'],
    },
    log,
  );
}

const failing = () =>
  inSpan('a call', {}, () => Promise.reject(new RangeError('+5511987654321 is not Ana Souza')));

it('work that fails is told by the kind of its error, without the words, which may be personal', async () => {
  await start(1);

  await expect(failing()).rejects.toThrow('Ana Souza');
  await tracing?.stop();

  expect(collector.spans).toMatchObject([{ name: 'a call' }]);
  expect(collector.text).toContain('"message":"RangeError"');
  expect(collector.text).not.toMatch(/Ana|98765/);
});

it('as few traces are kept as the operator wants', async () => {
  await start(0);

  await expect(failing()).rejects.toThrow('Ana Souza');
  await tracing?.stop();

  expect(collector.spans).toEqual([]);
});
