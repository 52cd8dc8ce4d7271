import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { switchTracing } from './spans.ts';

export interface Tracing {
  /** Sends what is left, briefly, and turns tracing off. */
  stop(): Promise<void>;
}

type Settings = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG' | 'ROLES'
>;

const SEND_EVERY_MS = 1_000;
const LAST_WORDS_MS = 3_000;

/**
 * Sends spans to a collector by OTLP over HTTP, if one is configured; the packages are loaded only then. The exporter
 * and the resource read further OpenTelemetry variables themselves (docs/configuration.md).
 */
export async function startTracing(config: Settings, log: Log): Promise<Tracing> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return { stop: async () => {} };
  const [api, { AsyncLocalStorageContextManager }, core, exporting, resources, sdk] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
    ]);
  const exporter = new exporting.OTLPTraceExporter();
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({
        'service.name': config.OTEL_SERVICE_NAME,
        'wms.roles': [...config.ROLES],
      })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  sayOnce(api, log);
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  api.trace.setGlobalTracerProvider(provider);
  switchTracing('on');
  return {
    stop: async () => {
      switchTracing('off');
      const patience = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), patience]);
      for (const part of [api.trace, api.propagation, api.context, api.diag]) part.disable();
    },
  };
}

/** A collector that is away is one line a minute, not one a second. */
function sayOnce({ diag, DiagLogLevel }: typeof import('@opentelemetry/api'), log: Log): void {
  let quietUntil = 0;
  const say = (problem: string): void => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + 60_000;
    log.warn({ problem }, 'traces could not be sent');
  };
  const nothing = (): void => {};
  const logger = { error: say, warn: say, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
