/** (e) Both reports over 90 days with a million messages, through the whole door. */

import { createApiKey } from '../src/api-keys/service.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { inWorkspace, openDatabase } from '../src/db/database.ts';
import { newId } from '../src/ids.ts';
import { addNumber } from '../src/numbers/service.ts';
import { rollUpWorkspace } from '../src/reports/rollup.ts';
import { timesOf } from './support/asking.ts';
import { aHistory } from './support/history.ts';
import { phoneOf } from './support/people.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { openWithoutTemporal } from './support/stage.ts';
import { aWorkspace } from './support/workspaces.ts';

export interface ReportSizes {
  readonly runs: number;
  readonly messages: number;
  /** Requests for each report and filter, in a run. */
  readonly requests: number;
}

const ASKED = [
  'automation?period=90d',
  'automation?period=90d&origin=import',
  'automation?period=today',
  'numbers?period=90d',
  'numbers?period=90d&campaign=cmp_bench',
  'numbers?period=today',
] as const;

async function prepare(databaseUrl: string, encryptionKeys: string, { messages }: ReportSizes) {
  const database = await openDatabase({ url: databaseUrl, poolSize: 4 });
  try {
    const ctx = await aWorkspace(database);
    const { organizationId } = ctx;
    const number = await addNumber(
      ctx,
      { name: 'Bench', phone: phoneOf(900_000), provider: 'sandbox', accessToken: 'bench' },
      createKeyring(encryptionKeys),
    );
    const { key } = await createApiKey(ctx, {
      name: 'Bench',
      scopes: ['automations:read', 'numbers:read'],
      lifetime: 'never',
    });
    const automationId = newId('atm');
    const memberId = await inWorkspace(database, organizationId, async (sql) => {
      await sql.rows(
        `insert into automations (organization_id, id, name, status, draft, created_by, created_at, updated_at)
         values ($1, $2, 'Bench', 'active', '{}', '{}', now(), now())`,
        [organizationId, automationId],
      );
      const [member] = await sql.rows<{ id: string }>('select id from members');
      return member?.id ?? '';
    });
    await aHistory(
      database,
      { organizationId, numberId: number.id, memberId, automationId },
      { messages, days: 90, contacts: Math.ceil(messages / 10) },
    );
    const startedAt = performance.now();
    const written = await rollUpWorkspace(database, organizationId, {
      now: new Date(),
      mayGoOn: () => true,
    });
    return { key, perDayMs: (performance.now() - startedAt) / written };
  } finally {
    await database.close();
  }
}

/** Throws when a report is refused. */
export async function benchReports(sizes: ReportSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { cluster, processes } = await openWithoutTemporal(closing);
  const { key, perDayMs } = await prepare(cluster.databaseUrl, processes.encryptionKeys, sizes);
  const api = await processes.start('api');
  const figures: Figure[] = [{ what: 'writing one day down, ms', values: [perDayMs], digits: 0 }];
  for (const asked of ASKED) {
    const url = `${api.baseUrl}/api/v1/reports/${asked}`;
    const runs: number[][] = [];
    for (let run = 0; run < sizes.runs; run++) runs.push(await timesOf(url, key, sizes.requests));
    figures.push(
      { what: `${asked}: p50, ms`, values: runs.map((times) => percentile(times, 0.5)) },
      {
        what: `${asked}: slowest, ms`,
        values: runs.map((times) => Math.max(...times)),
        atMost: 300,
      },
    );
  }
  return report(
    `(e) reports over 90 days and ${sizes.messages} messages, ${sizes.requests} requests one after another; ${sizes.runs} runs`,
    figures,
    [],
  );
}
