import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import { ConfigError } from '../config.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';

/**
 * Gives the SDK our log and leaves signals to us. Once per process, before any connection.
 *
 * @param metricsAddress where the SDK shows its own metrics at `/metrics`, an IP address with a port; none if left out. Throws a
 *   `ConfigError` if nothing can listen there
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
  const options: RuntimeOptions = {
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
  };
  try {
    Runtime.install(options);
  } catch (error) {
    if (!metricsAddress) throw error;
    const problem = `TEMPORAL_METRICS_ADDRESS: nothing can listen at ${metricsAddress} (${messageOf(error)}).`;
    throw new ConfigError([problem]);
  }
}
