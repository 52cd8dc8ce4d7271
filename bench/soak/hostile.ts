import { createKeyring } from '../../src/crypto/keyring.ts';
import { createEndpoint } from '../../src/webhooks/service.ts';
import type { Client } from '../../test/chaos/random/client.ts';
import { feed } from '../../test/chaos/random/load.ts';
import type { Pledge } from '../../test/chaos/random/promises.ts';
import type { ChaosStage } from '../../test/chaos/support/stage.ts';
import { aPipeline } from '../../test/support/factories/pipelines.ts';
import { type Kind, MISBEHAVING } from '../support/behaviours.ts';
import type { Opened, Receivers } from '../support/receivers.ts';
import type { Sent } from '../support/steady.ts';
import { judge, rowOf, type SoakRow, whatBecameOf } from './table.ts';

/** Endpoints that misbehave, each in its own way, and all get the same events: of deals. */
export interface HostileEndpoints {
  /** Begins so many deals bit by bit. */
  feed(client: Client, people: readonly string[], progress: () => number): Promise<void>;
  readonly pledge: Pledge;
  /** What each got, once the pledge was looked at. */
  readonly table: readonly SoakRow[];
}

/** What they get in the end although they misbehave; the others get nothing, and it is said so. */
const SUCCEED: readonly Kind[] = [
  'answers after 2 s',
  'answers after 9.9 s',
  'drips a body for ever',
  'a body without end',
  'a gzip bomb',
  'up and down every 10 s',
];

const DELIVERIES = `
select d.endpoint_id, d.event_id, e.body::jsonb -> 'data' -> 'deal' ->> 'id' as deal, d.created_at, d.attempts,
  (select coalesce(array_agg(a.number order by a.number), '{}') from webhook_attempts a
    where a.day = d.day and a.delivery_id = d.id) as numbers
from webhook_deliveries d join events e on e.day = d.day and e.id = d.event_id
where d.type = 'stage.changed'`;

interface Delivery {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly deal: string;
  readonly created_at: Date;
  readonly attempts: number;
  readonly numbers: readonly number[];
}

/** @param opened by {@link Receivers.open}, one of each kind. */
export async function hostileEndpoints(
  stage: ChaosStage,
  receivers: Receivers,
  opened: readonly Opened[],
  deals: number,
): Promise<HostileEndpoints> {
  const { ctx, processes } = stage;
  const parts = {
    keyring: createKeyring(processes.encryptionKeys),
    trustedOrigins: opened.filter(({ trusted }) => trusted).map(({ origin }) => origin),
  };
  const endpointIds: string[] = [];
  for (const [n, { origin }] of opened.entries()) {
    const events = ['stage.changed' as const];
    const endpoint = { name: `Receptor ${n}`, url: `${origin}/deals`, events };
    endpointIds.push((await createEndpoint(ctx, endpoint, parts)).id);
  }
  const { stages } = await aPipeline(ctx);
  const made: string[] = [];

  const table: SoakRow[] = [];

  /** Fills the table. @returns what is wrong with it. */
  async function look(kills: number): Promise<string[]> {
    const deliveries = await stage.rows<Delivery>(DELIVERIES);
    const ledgers = await receivers.ledgers();
    const byEndpoint = Map.groupBy(deliveries, (one) => one.endpoint_id);
    const problems: string[] = [];
    for (const [n, kind] of MISBEHAVING.entries()) {
      const endpointId = endpointIds[n] ?? '';
      const own = byEndpoint.get(endpointId) ?? [];
      const target = { ctx, endpointId };
      const sent = new Map<string, Sent>(
        own.map((one) => [one.event_id, { at: one.created_at.getTime(), target }]),
      );
      const row = rowOf(kind, sent, ledgers[n] ?? new Map(), await whatBecameOf(stage, endpointId));
      table.push(row);
      problems.push(...wrongWith(row, own, made));
    }
    return [...problems, ...judge(table, kills)];
  }

  return {
    feed: (client, people, progress) =>
      feed(progress, deals, async (n) => {
        const deal = { stage_id: stages['Novo'], contact_id: people[n], title: `Negócio ${n}` };
        made.push(String((await client.post('/deals', deal))['id']));
      }),
    table,
    pledge: [
      'hooks',
      'Endpoints that misbehave get each event, or it failed after 12 attempts or was blocked',
      async ({ kills }) => {
        const problems = await look(kills);
        const sum = (of: (row: SoakRow) => number): number =>
          table.reduce((all, row) => all + of(row), 0);
        return {
          figures: {
            endpoints: table.length,
            deals: made.length,
            requests: sum((row) => row.requests),
            attempts: sum((row) => row.attempts),
            succeeded: sum((row) => row.succeeded),
            failed: sum((row) => row.failed),
            blocked: sum((row) => row.blocked),
          },
          broken: { problems },
        };
      },
    ],
  };
}

/** An event for each deal and no more, each of which has its end. */
function wrongWith(row: SoakRow, own: readonly Delivery[], made: readonly string[]): string[] {
  const told = new Set(own.map(({ deal }) => deal));
  const end = SUCCEED.includes(row.kind) ? row.succeeded : row.failed + row.blocked;
  const gaps = own.filter(
    ({ attempts, numbers }) => attempts > 12 || numbers.some((number, i) => number !== i + 1),
  );
  return [
    ...made.filter((deal) => !told.has(deal)).map((deal) => `${row.kind}: ${deal} was lost`),
    ...(own.length > made.length ? [`${row.kind}: ${own.length} events of ${made.length}`] : []),
    ...(end < made.length ? [`${row.kind}: ${made.length - end} have another end`] : []),
    ...gaps.map(({ event_id }) => `${row.kind}: ${event_id} has gaps`),
  ];
}
