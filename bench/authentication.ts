/** (m) What checking an access token costs a call, beside an API key. */
import fs from 'node:fs';
import path from 'node:path';
import type { Context } from '../src/context.ts';
import type { Database } from '../src/db/database.ts';
import { aPerson } from '../test/support/people.ts';
import { connect, registerApp } from './support/connected.ts';
import { meter } from './support/cpu.ts';
import { type LoadGenerator, startLoadGenerator } from './support/load-generator.ts';
import { type Figure, median, report } from './support/report.ts';
import { onBenchStage } from './support/stage.ts';
import { aWorkspace, someContacts, someKeys } from './support/workspaces.ts';

export interface AuthenticationSizes {
  /** Slices of two seconds each, by turns. */
  readonly slices: number;
  readonly connections: number;
}

const PATH = '/api/v1/contacts?limit=1';
const SLICE_SECONDS = 2;
/** As many as may register in a minute. Each has 600 requests a minute, a key as well. */
const CALLERS = 29;

async function tokensOf(baseUrl: string, database: Database, ctx: Context): Promise<string[]> {
  const { memberId } = await aPerson(ctx);
  const tokens: string[] = [];
  for (let n = 0; n < CALLERS; n += 1) {
    const app = await registerApp(baseUrl);
    tokens.push(await connect(app, { database, ctx, memberId }));
  }
  return tokens;
}

interface Slice {
  /** Milliseconds of processor time for a call: api and PostgreSQL. */
  readonly api: number;
  readonly postgres: number;
  readonly p50: number;
  readonly failures: number;
  readonly elsewhere: number;
}

const figures = (keys: readonly Slice[], tokens: readonly Slice[]): Figure[] => {
  const both = (what: string, of: (slice: Slice) => number): Figure => ({
    what,
    digits: 3,
    values: tokens.map(of),
    bare: keys.map(of),
  });
  const total = (slices: readonly Slice[]): number =>
    median(slices.map(({ api, postgres }) => api + postgres));
  return [
    both('CPU ms a call: api', ({ api }) => api),
    both('CPU ms a call: postgres', ({ postgres }) => postgres),
    both('p50, ms', ({ p50 }) => p50),
    {
      what: 'CPU ms a call, more than with a key',
      digits: 3,
      values: [total(tokens) - total(keys)],
      atMost: 1,
    },
  ];
};

/** The slices of each. Throws when any request was refused while it measures. */
async function byTurns(
  generators: readonly LoadGenerator[],
  slices: number,
  ask: (generator: LoadGenerator) => Promise<Slice>,
): Promise<Slice[][]> {
  const seen: Slice[][] = generators.map(() => []);
  // A process that has only just started may refuse some of so many at once; that is no figure yet.
  for (const generator of generators) await ask(generator);
  for (let slice = 0; slice < slices; slice += 1)
    for (const [index, generator] of generators.entries()) {
      const one = await ask(generator);
      if (one.failures > 0) throw new Error(`${one.failures} of the requests were refused`);
      seen[index]?.push(one);
    }
  return seen;
}

/** Throws when any request was refused while it measures. */
export const benchAuthentication = ({
  slices,
  connections,
}: AuthenticationSizes): Promise<boolean> =>
  onBenchStage(async ({ cluster, processes, database }) => {
    const ctx = await aWorkspace(database);
    await someContacts(database, ctx.organizationId, 100);
    const api = await processes.start('api');
    const callers = {
      keys: await someKeys(ctx, CALLERS),
      tokens: await tokensOf(api.baseUrl, database, ctx),
    };
    const generators = Object.entries(callers).map(([name, credentials]) => {
      const file = path.join(cluster.folder, name);
      fs.writeFileSync(file, credentials.join('\n'), { mode: 0o600 });
      return startLoadGenerator(file);
    });
    const watched = [
      { name: 'api', pid: api.pid },
      { name: 'postgres', pid: cluster.postgresPid, children: true },
    ];
    const ask = async (generator: LoadGenerator): Promise<Slice> => {
      const used = meter(watched);
      const url = api.baseUrl + PATH;
      const load = await generator.ask({ url, seconds: SLICE_SECONDS, connections });
      const { seconds, elsewhere } = used();
      const each = (name: string): number => ((seconds[name] ?? 0) / load.answers) * 1_000;
      const { failures, p50 } = load;
      return { api: each('api'), postgres: each('postgres'), p50, failures, elsewhere };
    };
    try {
      const [keys = [], tokens = []] = await byTurns(generators, slices, ask);
      return report(
        `(m) GET ${PATH} with access tokens of ${CALLERS} connected apps, by turns with as many API keys (in the column "bare"), ` +
          `${connections} connections, ${slices} slices of ${SLICE_SECONDS} s each`,
        figures(keys, tokens),
        [...keys, ...tokens].map(({ elsewhere }) => elsewhere),
      );
    } finally {
      for (const generator of generators) await generator.close();
    }
  });
