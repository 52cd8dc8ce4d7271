import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { segmentRoutes } from '../../src/segments/routes.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';

let door: OpenDoor;
let key: string;
beforeAll(async () => {
  door = await openDoor({ routes: segmentRoutes });
  const { ctx } = await aWorkspace(door.database);
  ({ token: key } = await aMember(ctx, { role: 'admin' }));
});
afterAll(() => door.close());

const created = (name: string, rules: unknown): Promise<Reply> =>
  door.api.call('POST', '/api/v1/segments/rules', { key, body: { name, rules } });

it.each([
  ['required', { field: 'name', op: 'eq' }],
  ['required', { field: 'deal.value_cents', op: 'between' }],
  ['required', { field: 'tag', op: 'has_any' }],
  ['required', { field: 'window_open', op: 'is' }],
  ['type', { field: 'deal.value_cents', op: 'gte', value: '1' }],
  ['range', { field: 'deal.value_cents', op: 'gte', value: 1e16 }],
])('a value is refused by the rule %s: %j', async (rule, rules) => {
  const { status, body } = await created('Clientes', rules);

  expect([status, body.error.details]).toEqual([
    422,
    [expect.objectContaining({ path: 'rules.value', rule })],
  ]);
});

it('a name has 80 characters, and the blanks around it do not count', async () => {
  const rules = { field: 'opted_out', op: 'is', value: false };

  const taken = await created(` ${'n'.repeat(80)} `, rules);
  const refused = await created('n'.repeat(81), rules);

  expect([taken.status, refused.status]).toEqual([201, 422]);
});
