import { Runtime } from '@temporalio/worker';
import type { Log } from '../log.ts';

/**
 * Gives the SDK our log and leaves signals to us. Once per process, before any connection.
 *
 * @param metricsAddress `host:port` where the SDK shows its own metrics at `/metrics`; none if left out
 */
export function installRuntime(log: Log, metricsAddress?: string): void {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta?: Record<string | symbol, unknown>): void => {
      log[level]({ temporal: meta }, message);
    };
  const logger = {
    trace: write('trace'),
    debug: write('debug'),
    info: write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
  Runtime.install({
    shutdownSignals: [],
    logger: {
      ...logger,
      log: (level, message, meta) =>
        logger[level.toLowerCase() as keyof typeof logger](message, meta),
    },
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
      ...(metricsAddress ? { metrics: { prometheus: { bindAddress: metricsAddress } } } : {}),
    },
  });
}
