import type { Route } from '../../src/http/route.ts';
import type { IdPrefix } from '../../src/ids.ts';
import { exampleBody } from './every-route.ts';
import type { Reply } from './http.ts';
import type { FullWorkspace } from './rows.ts';

/** Which kind of record a field of a body or a filter names. */
export const FIELD_KINDS: Readonly<Record<string, IdPrefix>> = {
  number_id: 'num',
  contact_id: 'con',
  contact_ids: 'con',
  owner_id: 'mem',
  member_id: 'mem',
  team_ids: 'team',
  default_team_id: 'team',
  stage_id: 'stg',
  conversation_id: 'cnv',
  team_id: 'team',
  reply_to_id: 'msg',
  through: 'msg',
  media_id: 'med',
  group_id: 'grp',
  group_ids: 'grp',
  segment_id: 'seg',
  recipient_ids: 'rcp',
  event_id: 'evt',
};

/** What a report's filters are called. */
const FILTER_KINDS: Readonly<Record<string, IdPrefix>> = {
  ...FIELD_KINDS,
  number: 'num',
  team: 'team',
  agent: 'mem',
  automation: 'atm',
  campaign: 'cmp',
  pipeline: 'pip',
};

/** The fields of a route's body that name records, also those that its example leaves out. */
export const idFields = (route: Route): string[] =>
  route.kind === 'write'
    ? Object.keys(route.body?.shape ?? {}).filter((name) => FIELD_KINDS[name])
    : [];

/** A query for each filter that names a record: `?number_id=num_…`. */
export const idFilters = (route: Route, idOf: (kind: IdPrefix) => string): string[] =>
  route.kind === 'write'
    ? []
    : Object.keys(route.query?.shape ?? {}).flatMap((name) => {
        const kind = FILTER_KINDS[name];
        return kind ? [`?${name}=${idOf(kind)}`] : [];
      });

/** The answer without what differs between any two answers: the request's own id, and the ids asked for. */
export const comparable = ({ status, text }: Reply, ...ids: string[]): string =>
  ids
    .reduce((said, id) => said.replaceAll(id, '<id>'), `${status} ${text}`)
    .replaceAll(/req_\w+/g, '<request>');

/** The example's own day is over one day, and then it would be refused for that. */
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);

/** The example body with ids of this workspace where ids stand, and a time to come where it names one. */
export function bodyWith(
  route: Route,
  { ids }: Pick<FullWorkspace, 'ids'>,
  replaced: Record<string, unknown> = {},
): unknown {
  const body = exampleBody(route);
  if (typeof body !== 'object' || body === null) return body;
  const own = Object.entries(body).map(([field, value]) => {
    if (field === 'when') return [field, TOMORROW];
    const kind = FIELD_KINDS[field];
    if (!kind || value === null) return [field, value];
    return [field, Array.isArray(value) ? [ids[kind]] : ids[kind]];
  });
  return { ...Object.fromEntries(own), ...replaced };
}

/** What else a body must say for a field to apply, by the first word of the path and the field. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'campaigns segment_id': { target: 'segment', contact_ids: [] },
  'campaigns group_ids': { target: 'groups', contact_ids: [], text: 'Oi!', pace: 10 },
  'campaigns recipient_ids': { statuses: undefined },
  'messages group_id': { contact_id: undefined },
  'reminders group_id': { target: 'group', contact_id: null },
  'reminders segment_id': { target: 'segment', contact_id: null },
};

/** A body that only the record in this field can be wrong with: refused, it is refused for that. */
export function bodyNaming(
  route: Route,
  workspace: Pick<FullWorkspace, 'ids'>,
  field: string,
  value: unknown,
): unknown {
  const beside = BESIDE[`${route.path.split('/')[2]} ${field}`];
  return bodyWith(route, workspace, { ...beside, [field]: value });
}
