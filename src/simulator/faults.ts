import { z } from 'zod';

const share = z.number().min(0).max(1);

const faultsSchema = z.strictObject({
  /** Milliseconds between accepting a message and answering. */
  latency_ms: z.number().int().min(0).max(600_000).default(0),
  /** Share of sends answered with 503 and not accepted. */
  error_rate: share.default(0),
  /** Share of accepted sends whose connection is then cut without an answer. */
  drop_after_accept_rate: share.default(0),
  /** Extra copies of each status. */
  status_duplicates: z.number().int().min(0).max(20).default(0),
  /** Statuses arrive in any order. */
  status_shuffle: z.boolean().default(false),
  /** The most sends accepted per number in any one second; further ones get 130429. */
  rate_limit_per_s: z.number().int().min(1).max(100_000).nullable().default(null),
  /** Every send is accepted and never answered. */
  hang_after_accept: z.boolean().default(false),
  /** If false, webhooks about statuses and answers are held back. */
  status_webhooks: z.boolean().default(true),
});

export type Faults = z.infer<typeof faultsSchema>;

/** The faults that a body asks for (those it leaves out are cleared), or what is wrong with it. */
export function readFaults(body: unknown): { faults: Faults } | { problem: string } {
  const parsed = faultsSchema.safeParse(body);
  return parsed.success ? { faults: parsed.data } : { problem: wrongIn(parsed.error) };
}

/** The first wrong field and what is wrong with it, in one sentence. */
export function wrongIn(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'The body is not valid.';
  return `${issue.path.join('.') || 'body'}: ${issue.message}`;
}

/**
 * Allows at most `perSecond` in any one second, judging by the time of the oldest of the last `perSecond` admissions.
 */
export function createRateLimit(perSecond: number): () => boolean {
  const admitted = new Float64Array(perSecond).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return () => {
    const now = performance.now();
    if (now - (admitted[next] ?? now) < 1000) return false;
    admitted[next] = now;
    next = (next + 1) % perSecond;
    return true;
  };
}
