import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asSystem } from '../../src/db/database.ts';
import { deleteOldWebhooks } from '../../src/inbound/forgetting.ts';
import { createInboundProcessor, processDue } from '../../src/inbound/processor.ts';
import { aStatusWebhook, type InboundStage } from '../support/inbound.ts';
import { eventually } from '../support/waiting.ts';
import { openWritingScene, type WritingScene } from './support/writing.ts';

let scene: WritingScene;
let stage: InboundStage;
let phoneNumberId: string;

beforeEach(async () => {
  scene = await openWritingScene();
  ({ stage, phoneNumberId } = scene);
});

afterEach(() => scene.close());

/** A message that the database refuses, whoever tries: its text breaks a rule of this test's own. */
const refusePoison = (): Promise<unknown> =>
  stage.owner("alter table messages add constraint poison check (text <> 'poison')");

describe('processing stored webhooks', () => {
  it('begins by itself when one is stored, and keeps the order in which they came', async () => {
    const processor = createInboundProcessor({ ...stage.options, pollMs: 60_000 });
    stage.onStored = processor.wake;
    processor.start();
    const sent = Array.from({ length: 30 }, (_, n) => `m${n}`);

    for (const text of sent) await scene.posts(text);
    await eventually(async () => (await scene.texts()).length === sent.length);
    await processor.stop();

    expect(await scene.texts()).toEqual(sent);
  });

  it('takes reports and messages alike when it is woken, in whatever order they come', async () => {
    const processor = createInboundProcessor({ ...stage.options, pollMs: 60_000 });
    stage.onStored = processor.wake;
    processor.start();
    const report = (n: number) =>
      stage.post(
        aStatusWebhook(phoneNumberId, [{ id: `wamid.r${n}`, status: 'read', key: `r${n}` }]),
      );

    for (let n = 0; n < 10; n++) {
      await report(n);
      if (n % 3 === 1) await scene.posts(`between ${n}`);
    }
    await eventually(async () => (await stage.stored()).every(({ done }) => done));
    await report(10);
    await eventually(async () => (await stage.stored()).every(({ done }) => done));
    await processor.stop();

    expect(await scene.texts()).toEqual(['between 1', 'between 4', 'between 7']);
  });

  it('finds by polling what nobody woke it for', async () => {
    const processor = createInboundProcessor({ ...stage.options, pollMs: 20 });
    processor.start();

    await scene.posts('unannounced');
    await eventually(async () => (await scene.texts()).length === 1);
    await processor.stop();
  });

  it('gives each webhook to one of many processors', async () => {
    const processors = Array.from({ length: 3 }, () =>
      createInboundProcessor({ ...stage.options, pollMs: 10 }),
    );
    for (const processor of processors) processor.start();

    await Promise.all(
      Array.from({ length: 40 }, (_, n) => scene.posts(`p${n}`, { from: `55119876${10_000 + n}` })),
    );
    await eventually(async () => (await stage.stored()).every(({ done }) => done));
    for (const processor of processors) await processor.stop();

    expect(await scene.texts()).toHaveLength(40);
    expect((await stage.stored()).map(({ tries }) => tries)).toEqual(Array(40).fill(0));
  });

  it('gives up on one that always fails after five tries, and holds nobody up meanwhile', async () => {
    await refusePoison();
    await scene.posts('before');
    await scene.posts('poison');
    await scene.posts('after');

    await stage.process();
    const firstPass = await scene.texts();
    for (let n = 0; n < 6; n++) {
      await stage.later(0);
      await stage.process();
    }

    expect(firstPass).toEqual(['before', 'after']);
    expect(await stage.stored()).toEqual([
      { done: true, tries: 0, error: null },
      { done: true, tries: 5, error: 'internal' },
      { done: true, tries: 0, error: null },
    ]);
    expect(stage.counts).toMatchObject({ failed: 5, given_up: 1 });
  });

  it('leaves everything due when it dies before its own commit, and repeats without a trace', async () => {
    await scene.posts('once');
    const client = await stage.database.system.connect();
    await client.query('begin');
    await client.query('lock table inbound_webhooks in share mode');

    const pass = processDue(stage.options).catch(() => 'died');
    const killed = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'update inbound_webhooks%' and state = 'active'`;
    await eventually(async () => (await stage.owner(killed)).length === 1);
    const outcome = await pass;
    await client.query('rollback');
    client.release();
    const left = await stage.stored();
    await stage.process();

    expect(outcome).toBe('died');
    expect(left).toEqual([{ done: false, tries: 0, error: null }]);
    expect(await scene.texts()).toEqual(['once']);
    expect((await stage.stored())[0]?.done).toBe(true);
  });

  it('shows that it is alive while a batch takes long, so that its claim is not ended', async () => {
    await scene.posts('slow');
    const owner = new pg.Client({ connectionString: stage.database.url });
    await owner.connect();
    await owner.query('begin; lock table messages');

    const pass = processDue(stage.options);
    const alive = `select pid from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction' and query = 'select 1'`;
    await eventually(async () => (await stage.owner(alive)).length === 1);
    await owner.end();

    expect(await pass).toBe(1);
    expect(await scene.texts()).toEqual(['slow']);
  });

  it('forgets bodies two days after they came, but none that is not taken in yet', async () => {
    await scene.posts('old');
    await stage.process();
    await scene.posts('waiting');
    await stage.owner("update inbound_webhooks set received_at = now() - interval '49 hours'");
    await scene.posts('new');

    expect(await asSystem(stage.options.database, deleteOldWebhooks)).toBe(false);

    expect(await stage.stored()).toHaveLength(2);
    await stage.process();
    expect(await scene.texts()).toEqual(['old', 'waiting', 'new']);
  });
});
