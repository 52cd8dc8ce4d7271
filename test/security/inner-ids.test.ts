import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { comparable, FIELD_KINDS } from '../support/bodies.ts';
import { everyRoute } from '../support/every-route.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;
let theirs: FullWorkspace;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ours = await aFullWorkspace(door.database, door.api);
  theirs = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

const END = { id: 'end', type: 'end' };
const written = { trigger: { type: 'message_received' }, steps: [END] };
const triggered = (trigger: object) => ({ ...written, trigger });
const doing = (step: object) => ({
  ...written,
  steps: [{ id: 'a', next: 'end', ...step }, END],
});

/** A definition's ids, by their place: what kind it is, and a definition that is right but for it. */
const PLACES: Readonly<Record<string, readonly [IdPrefix, (id: string) => object]>> = {
  'trigger.number_ids[0]': [
    'num',
    (id) => triggered({ type: 'message_received', number_ids: [id] }),
  ],
  'trigger.pipeline_id': ['pip', (id) => triggered({ type: 'stage_changed', pipeline_id: id })],
  'trigger.stage_ids[0]': ['stg', (id) => triggered({ type: 'stage_changed', stage_ids: [id] })],
  'trigger.form_ids[0]': ['frm', (id) => triggered({ type: 'form_submitted', form_ids: [id] })],
  'trigger.campaign_ids[0]': [
    'cmp',
    (id) => triggered({ type: 'campaign_replied', campaign_ids: [id] }),
  ],
  'trigger.segment_id': ['seg', (id) => triggered({ type: 'segment_entered', segment_id: id })],
  'trigger.to': ['mem', (id) => triggered({ type: 'field_changed', field: 'owner_id', to: id })],
  'entry.conditions.value': [
    'team',
    (id) => ({ ...written, entry: { conditions: { field: 'team_id', op: 'eq', value: id } } }),
  ],
  'steps[0].media_id': ['med', (id) => doing({ type: 'send_media', media_id: id })],
  'steps[0].cases[0].when.value': [
    'frm',
    (id) => {
      const when = { field: 'form.submitted', op: 'eq', value: id };
      return doing({
        type: 'branch',
        next: undefined,
        cases: [{ when, next: 'end' }],
        else: 'end',
      });
    },
  ],
  'steps[0].pipeline_id': [
    'pip',
    (id) => doing({ type: 'create_deal', pipeline_id: id, title: 'Bolo' }),
  ],
  'steps[0].stage_id': ['stg', (id) => doing({ type: 'move_stage', stage_id: id })],
  'steps[0].team_id': ['team', (id) => doing({ type: 'assign', team_id: id })],
  'steps[0].member_id': [
    'mem',
    (id) => ({ ...written, steps: [{ id: 'a', type: 'handover', member_id: id }] }),
  ],
  'steps[0].automation_id': ['atm', (id) => doing({ type: 'start_automation', automation_id: id })],
};

/** By the field of a condition: what kind its ids are. */
const CONDITIONS: Readonly<Record<string, IdPrefix>> = {
  owner_id: 'mem',
  number_id: 'num',
  team_id: 'team',
  stage: 'stg',
  pipeline: 'pip',
  'campaign.received': 'cmp',
  'campaign.replied': 'cmp',
  'form.submitted': 'frm',
  'automation.run': 'atm',
};

/** Names of a definition's own steps, not of records. */
const OF_STEPS = ['id', 'step_id'];

describe('an id within a body', () => {
  it.each(Object.entries(PLACES))(
    "of the other workspace is unknown to an automation's %s, as one that never was",
    async (place, [kind, definition]) => {
      const issuesFor = async (id: string): Promise<unknown> => {
        const body = { name: newId('atm'), ...definition(id) };
        const reply = await door.api.call('POST', '/api/v1/automations', { key: ours.token, body });
        expect(reply.status).toBe(201);
        return reply.body.issues;
      };

      const foreign = await issuesFor(theirs.ids[kind] ?? '');

      expect(await issuesFor(ours.ids[kind] ?? '')).toEqual([]);
      expect(foreign).toEqual(await issuesFor(newId(kind)));
      expect(foreign).toMatchObject([{ code: 'unknown_reference', path: place }]);
    },
  );

  it.each(Object.entries(CONDITIONS))(
    'of the other workspace is refused in rules on %s, as one that never was',
    async (field, kind) => {
      const counted = (id = '') => {
        const body = { rules: { field, op: 'eq', value: id } };
        return door.api.call('POST', '/api/v1/segments/preview', { key: ours.key, body });
      };
      const own = ours.ids[kind];
      const other = theirs.ids[kind] ?? '';
      const unknown = newId(kind);

      const foreign = await counted(other);

      expect((await counted(own)).status).toBe(200);
      expect(foreign.status).toBe(422);
      expect(comparable(foreign, other)).toBe(comparable(await counted(unknown), unknown));
    },
  );

  it('is tried on the other workspace wherever a body or a query takes one', () => {
    const asked = everyRoute.flatMap((route) => [
      ...('body' in route && route.body ? [route.body] : []),
      ...('query' in route && route.query ? [route.query] : []),
    ]);
    const names = asked.flatMap((schema) =>
      namesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
    );
    const places = Object.keys(PLACES).map((place) => place.replace(/^.*\.|\[0\]$/g, ''));
    const tried = new Set([...Object.keys(FIELD_KINDS), ...places, ...OF_STEPS]);

    expect(names).toContain('recipient_ids');
    expect(names.filter((name) => !tried.has(name))).toEqual([]);
  });
});

/** The names of all properties within a schema that hold ids. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [
    ...own.filter((name) => /(?:^|_)ids?$/.test(name)),
    ...Object.values(schema).flatMap(namesIn),
  ];
}
