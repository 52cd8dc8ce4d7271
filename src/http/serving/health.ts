import { messageOf } from '../../errors.ts';
import type { Mount } from '../mount.ts';
import type { HttpMetrics } from './metrics.ts';

/** Something that readiness depends on. */
export interface Probe {
  readonly name: string;
  /** A probe that is not required is listed, but does not make the process unready. */
  readonly required: boolean;
  /** Resolves to a short description of its state; rejects, with a message for an operator, if it is not well. */
  check(): Promise<string>;
}

interface Checked {
  readonly name: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly detail: string;
}

const PROBE_MS = 2_000;

/** `/healthz`: the process is alive. `/readyz`: it can do its work. `/metrics`: its metrics. */
export const operationalMounts = (probes: readonly Probe[], metrics: HttpMetrics): Mount[] => [
  {
    path: '/healthz',
    always: true,
    handle: (ctx) => {
      ctx.body = { status: 'ok' };
    },
  },
  {
    path: '/readyz',
    always: true,
    handle: async (ctx) => {
      const { ready, checks } = await askAll(probes);
      ctx.status = ready ? 200 : 503;
      ctx.body = { status: ready ? 'ready' : 'not ready', checks };
    },
  },
  {
    path: '/metrics',
    always: true,
    handle: async (ctx) => {
      ctx.type = metrics.registry.contentType;
      ctx.body = await metrics.registry.metrics();
    },
  },
];

/** Whether everything required is well, and what each probe says. */
export async function askAll(
  probes: readonly Probe[],
): Promise<{ readonly ready: boolean; readonly checks: readonly Checked[] }> {
  const checks = await Promise.all(probes.map(run));
  return { ready: checks.every(({ ok, required }) => ok || !required), checks };
}

async function run({ name, required, check }: Probe): Promise<Checked> {
  const timer = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const fail = setTimeout(() => reject(new Error(`no answer within ${PROBE_MS} ms`)), PROBE_MS);
    timer.signal.addEventListener('abort', () => clearTimeout(fail));
  });
  try {
    return { name, ok: true, required, detail: await Promise.race([check(), late]) };
  } catch (error) {
    const detail = messageOf(error);
    return { name, ok: false, required, detail };
  } finally {
    timer.abort();
  }
}
