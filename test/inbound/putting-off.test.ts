import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { sqlOver } from '../../src/db/database.ts';
import { processDue } from '../../src/inbound/processor.ts';
import { measures, noFigures } from '../../src/relay/figures.ts';
import type { InboundStage } from '../support/inbound.ts';
import { openWritingScene, type WritingScene } from './support/writing.ts';

let scene: WritingScene;
let stage: InboundStage;

beforeEach(async () => {
  scene = await openWritingScene();
  ({ stage } = scene);
});

afterEach(() => scene.close());

/** A message that the database does not take for now, and says nothing about. */
const TAKES_TOO_LONG = `
  create or replace function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'it takes too long' using errcode = '57014'; end $$;
  create trigger refused before insert on messages for each row when (new.text = 'first') execute function refuse()`;

describe('a webhook that cannot be taken in for a moment', () => {
  it('keeps what the same person wrote later waiting, and nobody else', async () => {
    await stage.owner(TAKES_TOO_LONG);
    await scene.posts('first');
    await scene.posts('second');
    await scene.posts('of another person', { from: '5511987650000' });

    await processDue(stage.options);
    const meanwhile = await scene.texts();
    await stage.owner('drop trigger refused on messages');
    await stage.later(0);
    await stage.process();

    expect(meanwhile).toEqual(['of another person']);
    expect(await scene.texts()).toEqual(['of another person', 'first', 'second']);
    expect((await stage.stored()).map(({ tries }) => tries)).toEqual([0, 0, 0]);
  });

  it('comes before what the person writes until it is tried again', async () => {
    await stage.owner(TAKES_TOO_LONG);
    await scene.posts('first');
    await processDue(stage.options);
    await scene.posts('second');
    await processDue(stage.options);
    const meanwhile = await scene.texts();

    await stage.owner('drop trigger refused on messages');
    await scene.posts('third');
    await processDue(stage.options);

    expect(meanwhile).toEqual([]);
    expect(await scene.texts()).toEqual(['first', 'second', 'third']);
  });

  it('is not tried again before its time while nobody writes to the number', async () => {
    await stage.owner(TAKES_TOO_LONG);
    await scene.posts('first');

    expect(await processDue(stage.options)).toBe(1);
    expect(await processDue(stage.options)).toBe(0);
  });

  it('keeps nobody silent for longer than a minute', async () => {
    await stage.owner(TAKES_TOO_LONG);
    await scene.posts('first');
    await scene.posts('second');

    // However long the two waited for their first turn.
    await stage.database.system.query(
      "update inbound_webhooks set received_at = now() - interval '1 hour', not_before = now() - interval '1 hour'",
    );
    await processDue(stage.options);
    const atFirst = await scene.texts();
    await stage.later(0);
    await processDue(stage.options);

    expect(atFirst).toEqual([]);
    expect(await scene.texts()).toEqual(['second']);
    expect((await stage.stored()).map(({ done }) => done)).toEqual([false, true]);
  });

  it('is told of after a minute, in the log and by its age', async () => {
    await stage.owner(`
      create or replace function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'it takes too long' using errcode = '57014'; end $$;
      create trigger refused before insert on messages for each row execute function refuse()`);
    const lines: { msg: string; webhooks: number }[] = [];
    const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
    const options = { ...stage.options, log };
    await scene.posts('first');
    await scene.posts('second');

    await processDue(options);
    const atOnce = [...lines];
    await stage.later(70);
    await processDue(options);
    const figures = noFigures();
    await measures.inbound(sqlOver(stage.database.system), figures);

    expect(atOnce).toEqual([]);
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'webhooks cannot be taken in and are tried again',
        webhooks: 2,
        err: expect.objectContaining({ message: expect.stringContaining('it takes too long') }),
      }),
    ]);
    expect(await stage.stored()).toEqual(Array(2).fill({ done: false, tries: 0, error: null }));
    expect(figures.oldestInboundSeconds).toBeGreaterThan(69);
    expect(figures.oldestInboundSeconds).toBeLessThan(600);
  });
});
