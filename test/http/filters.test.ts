import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { inWorkspace } from '../../src/db/database.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { idFilters } from '../support/bodies.ts';
import { addressIn, everyRoute, nameOf } from '../support/every-route.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { type FullWorkspace, firstRow, rowMaker } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

const door = opened(() => openDoor({ routes: everyRoute }));

/** What no row of a full workspace has, by the name of a filter that is neither an id nor one of some words. */
const HAD_BY_NONE: Readonly<Record<string, string>> = {
  q: 'nobody',
  phone: '%2B5511900000009',
  email: 'nobody@example.com',
  tag: 'nobody',
  updated_since: '2999-01-01T00:00:00Z',
};

/** Queries with this parameter alone, of which at least one leaves out each row that there is. */
function queriesOf(route: Route, name: string): string[] {
  const [byId] = idFilters(route, newId).filter((query) => query.startsWith(`?${name}=`));
  if (byId) return [byId];
  const none = HAD_BY_NONE[name];
  if (none !== undefined) return [`?${name}=${none}`];
  const schema = route.kind === 'list' ? route.query?.shape[name] : undefined;
  // Without names: a named one would only be referred to.
  const options = { io: 'input', metadata: z.registry<Record<string, unknown>>() } as const;
  const { enum: words } = z.toJSONSchema(schema ?? z.never(), options);
  if (!words)
    throw new TypeError(`${nameOf(route)} has a filter ${name} that this test cannot use`);
  return words.map((word) => `?${name}=${word}`);
}

const filtersOf = (route: Route): string[] =>
  route.kind === 'list'
    ? Object.keys(route.query?.shape ?? {}).filter((name) => name !== 'sort')
    : [];

const lists = everyRoute
  .filter((route) => filtersOf(route).length > 0)
  .map((route) => [nameOf(route), route] as const);

describe.each(lists)('%s', (_, route) => {
  async function countOf({ ids, key }: FullWorkspace, query: string): Promise<number> {
    const reply = await door.api.call('GET', `${addressIn(route, ids)}${query}`, { key });
    expect([query, reply.status, reply.text]).toEqual([query, 200, reply.text]);
    return reply.body.data.length;
  }

  it('has no filter that it passes over', async () => {
    const full = await aFullWorkspace(door.database, door.api);
    await inWorkspace(door.database, full.ctx.organizationId, (sql) =>
      firstRow(sql, rowMaker(route), full.ids),
    );
    const all = await countOf(full, '');

    const passedOver: string[] = [];
    for (const name of filtersOf(route)) {
      const counts: number[] = [];
      for (const query of queriesOf(route, name)) counts.push(await countOf(full, query));
      if (Math.min(...counts) >= all) passedOver.push(name);
    }
    expect(passedOver).toEqual([]);
  });
});
