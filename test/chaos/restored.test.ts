import assert from 'node:assert/strict';
import { expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { holdNumbers } from '../../src/cli/ops/holding.ts';
import { openDatabase } from '../../src/db/database.ts';
import { until } from '../support/processes/child.ts';
import type { Service } from '../support/processes/processes.ts';
import { begin, statusOf } from './support/acts.ts';
import { quiet, remains } from './support/invariants.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
const HOUR_MS = 3_600_000;

/** As the superuser, beside the database, while nobody is connected to it. */
async function beside(name: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: process.env['TEST_PG_URL'] });
  await client.connect();
  const alone = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  try {
    for (const statement of statements) {
      await client.query(alone, [name]);
      await client.query(statement);
    }
  } finally {
    await client.end();
  }
}

async function nameOf(stage: ChaosStage): Promise<string> {
  const [row] = await stage.rows<{ name: string }>('select current_database() as name');
  return row?.name ?? '';
}

/** `wms ops hold`, before any process starts. */
async function hold({ ctx }: ChaosStage, name: string): Promise<number> {
  const url = new URL(process.env['TEST_PG_OWNER_URL'] ?? '');
  url.pathname = name;
  const database = await openDatabase({ url: url.href, poolSize: 2 });
  const contextFor = () => Promise.resolve(ctx);
  try {
    return (await holdNumbers({ database, contextFor })).held.length;
  } finally {
    await database.close();
  }
}

const started = ({ processes }: ChaosStage): Promise<Service> => processes.start('api,worker');

/** The workflow looks at its row, and ends. */
async function looksAndEnds({ temporalAddress }: ChaosStage, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const handle = new Client({ connection }).workflow.getHandle(workflowId);
    await handle.signal('wake');
    await handle.result();
  } finally {
    await connection.close();
  }
}

it(
  'a database restored from before Temporal’s state sends nobody anything twice, and nothing it does not know',
  () =>
    onChaosStage({}, async (stage) => {
      const { simulator } = stage.processes;
      const name = await nameOf(stage);
      const before = await stage.processes.start('api');
      const campaign = await stage.aCampaign(150);
      await begin(stage, before, campaign);
      await before.kill();
      await beside(name, [`create database ${name}_backup template ${name}`]);

      const after = await started(stage);
      const later = await stage.aCampaign(5);
      const body = { when: new Date(Date.now() + HOUR_MS).toISOString() };
      const planned = await stage.call(after, 'POST', `/campaigns/${later}/schedule`, { body });
      assert.equal(planned.status, 200, planned.text);
      await quiet(stage);
      await after.kill();
      const sent = await simulator.accepted();
      await beside(name, [
        `alter database ${name} rename to ${name}_lost`,
        `alter database ${name}_backup rename to ${name}`,
        `drop database ${name}_lost`,
      ]);
      const held = await hold(stage, name);
      await started(stage);
      await looksAndEnds(stage, `campaign:${later}`);
      await until('nothing is left to act on', async () => {
        const { facts, inbound, deliveries } = await remains(stage);
        return facts === 0 && inbound === 0 && deliveries === 0;
      });

      expect(held).toBe(1);
      expect(await statusOf(stage, campaign)).toBe('paused');
      expect(await statusOf(stage, later)).toBe('gone');
      expect(await simulator.accepted()).toEqual(sent);
      expect(new Set(sent.map(({ to }) => to)).size).toBe(sent.length);
      expect(sent).toHaveLength(150);
    }),
  LIMIT_MS,
);
