import { describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { addressIn, everyRoute, nameOf } from '../support/every-route.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { copyRow, type FullWorkspace, firstRow, type RowMaker, rowMaker } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

const door = opened(() => openDoor({ routes: everyRoute }));

/** mulberry32: the same numbers for the same seed, so that a failure can be had again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

interface Scene {
  readonly full: FullWorkspace;
  readonly maker: RowMaker;
  readonly random: (below: number) => number;
  /** The row that others are copies of. */
  readonly original: string;
  readonly sql: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
}

const HOURS_MS = 3_600_000;

/** Copies, last written in at any time of the past days, or never. */
async function insert({ maker, original, random, sql }: Scene, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, maker.next ?? (() => newId(maker.prefix)));
  await sql(async (one) => {
    for (const id of ids) {
      const at = new Date(Date.now() - random(100) * HOURS_MS).toISOString();
      const last_message_at = random(5) ? at : null;
      const times = maker.table === 'conversations' ? { last_message_at } : {};
      await copyRow(one, maker, original, id, times);
    }
  });
  return ids;
}

/** Some come, and some of those that may go do, seen or not. */
async function stir(scene: Scene, passing: string[]): Promise<void> {
  const { maker, random, sql } = scene;
  passing.push(...(await insert(scene, random(3))));
  const gone = passing.splice(random(passing.length), random(3));
  await sql((one) =>
    one.rows(`delete from ${maker.table} where ${maker.key ?? 'id'}::text = any($1::text[])`, [
      gone,
    ]),
  );
}

async function sceneOf(route: Route, seed: number): Promise<Scene> {
  const maker = rowMaker(route);
  const full = await aFullWorkspace(door.database, door.api);
  const sql = <T>(work: (one: Sql) => Promise<T>): Promise<T> =>
    inWorkspace(door.database, full.ctx.organizationId, work);
  const original = await sql((one) => firstRow(one, maker, full.ids));
  return { full, maker, random: randomFrom(seed), original, sql };
}

type Item = Readonly<Record<string, string | number | null>>;

/** Takes and adds rows between any two pages; answers what every page said, and what stayed throughout. */
async function walk(
  scene: Scene,
  route: Route,
  query: string,
): Promise<{ seen: Item[]; stayed: string[] }> {
  const { full, random } = scene;
  const rows = await insert(scene, 24);
  const stayed = rows.filter(() => random(3) > 0);
  const passing = rows.filter((id) => !stayed.includes(id));
  const address = addressIn(route, full.ids);
  const seen: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor && `&cursor=${cursor}`;
    const path = `${address}?limit=${1 + random(6)}${query}${from}`;
    const reply = await door.api.call('GET', path, { key: full.key });
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    seen.push(...reply.body.data);
    cursor = reply.body.next_cursor;
    await stir(scene, passing);
  }
  return { seen, stayed };
}

const place = (item: Item, id: string, query: string): string =>
  query === '' ? id : `${item['last_message_at'] ?? item['created_at']} ${id}`;

const lists: [string, Route, string][] = everyRoute
  .filter((route) => route.kind === 'list')
  .flatMap((route): [string, Route, string][] =>
    route.path === '/v1/conversations'
      ? [
          [nameOf(route), route, ''],
          [`${nameOf(route)} by the last message`, route, '&sort=last_message_at'],
        ]
      : [[nameOf(route), route, '']],
  );

describe.each(lists)('%s', (_, route, query) => {
  it.each([1, 2])(
    'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
    async (seed) => {
      const scene = await sceneOf(route, seed);
      const { key = 'id', shown = key, upwards } = scene.maker;
      const { seen, stayed } = await walk(scene, route, query);

      const ids = seen.map((item) => String(item[shown]));
      const places = seen.map((item, i) => place(item, ids[i] ?? '', query));
      const sorted = places.toSorted();
      expect(new Set(ids).size).toBe(ids.length);
      expect(stayed.filter((id) => !ids.includes(id))).toEqual([]);
      expect(places).toEqual(upwards ? sorted : sorted.toReversed());
    },
  );
});
