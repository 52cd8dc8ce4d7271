import type { SendingDeps } from '../../../src/campaigns/batches/deps.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import type { CampaignProgress } from '../../../src/campaigns/rules.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import type { Context } from '../../../src/context.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { drafted, freeze, type Made, type Wishes } from './running.ts';
import { type SendingTest, untilDone } from './sending.ts';

/** A campaign's time, which stands still until somebody skips it. */
export interface Skipped {
  readonly deps: SendingDeps;
  now(): Date;
  /** The same context, now. */
  at(ctx: Context): Context;
  skip(ms: number): void;
}

export function skippedFrom(test: SendingTest, start: string): Skipped {
  let ms = Date.parse(start);
  const now = (): Date => new Date(ms);
  const clock = { now, skewMs: 0 };
  const parts = { database: test.database, wake: () => {} };
  return {
    now,
    at: (ctx) => ({ ...ctx, now: now() }),
    skip: (by) => {
      ms += by;
    },
    deps: {
      ...test.deps,
      clock,
      contextFor: (organizationId, actor) =>
        createContext(parts, { organizationId, actor, now: now() }),
    },
  };
}

/** Sent at the skipped time, its audience frozen. */
export async function runningAt(
  test: SendingTest,
  time: Skipped,
  phones: readonly string[],
  wishes: Wishes = {},
): Promise<Made> {
  const made = await drafted(test, phones, wishes);
  await begin(test, time, made);
  return made;
}

export async function begin(test: SendingTest, time: Skipped, made: Made): Promise<void> {
  await sendCampaign(time.at(made.ctx), made.ref.campaignId);
  await freeze(test, made);
}

/** Batches, every wait between them skipped, until it sends no more or `enough` says so. */
export async function skipThrough(
  time: Skipped,
  { ref }: Pick<Made, 'ref'>,
  enough: (progress: CampaignProgress) => boolean = () => false,
): Promise<CampaignProgress> {
  for (;;) {
    const progress = await sendBatch(time.deps, ref, untilDone);
    if (progress.stage !== 'sending' || enough(progress)) return progress;
    time.skip(progress.waitMs);
  }
}

/** When each of its messages was sent, in skipped time. */
export async function sentTimes(test: SendingTest, { ref }: Made): Promise<Date[]> {
  const rows = await inWorkspace(test.database, ref.organizationId, (sql) =>
    sql.rows<{ sent_at: Date }>(
      'select sent_at from messages where campaign_id = $1 and sent_at is not null order by sent_at, id',
      [ref.campaignId],
    ),
  );
  return rows.map(({ sent_at }) => sent_at);
}

/** Its number is a phone that was paired by QR. */
export const pair = (test: SendingTest, { ref, numberId }: Made): Promise<unknown> =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    sql.rows(`update numbers set provider = 'paired', ceiling_per_minute = 60 where id = $1`, [
      numberId,
    ]),
  );
