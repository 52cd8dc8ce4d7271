import { visibleThrough } from '../access/visibility.ts';
import type { InWorkspace, ReadContext } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import type { GroupFilters, GroupView } from './schema.ts';

type GroupRow = Omit<GroupView, 'left_at' | 'created_at'> & {
  readonly left_at: Date | null;
  readonly created_at: Date;
};

const GROUPS = `
select g.id, g.name, g.description, g.members, g.number_id, g.conversation_id, g.left_at, g.created_at
from groups g where g.organization_id = $1`;

/** Throws 404, also for a group whose conversation the actor cannot see. */
export async function getGroup(
  { sql, organizationId, actor }: ReadContext,
  id: string,
): Promise<GroupView> {
  const { params, bind } = binding(organizationId, id);
  const seen = visibleThrough(actor, 'g', bind);
  const row = await first<GroupRow>(sql, `${GROUPS} and g.id = $2 and ${seen}`, params);
  if (!row) throw notFound('group');
  return presentGroup(row);
}

/** The groups whose conversation the actor can see, newest first. */
export async function listGroups(
  { sql, organizationId, actor }: ReadContext,
  { number_id: numberId, active }: GroupFilters,
  page: PageRequest,
): Promise<PageOf<GroupView>> {
  const { params, bind } = binding(organizationId, page.limit + 1);
  const conditions = [
    visibleThrough(actor, 'g', bind),
    ...(numberId === undefined ? [] : [`g.number_id = ${bind(numberId)}`]),
    ...(active === undefined ? [] : [`g.left_at is ${active === 'true' ? '' : 'not '}null`]),
    ...(page.after ? [`g.id < ${bind(page.after.id)}`] : []),
  ];
  const rows = await sql.rows<GroupRow>(
    `${GROUPS} and ${conditions.join(' and ')} order by g.id desc limit $2`,
    params,
  );
  return pageOf(rows, page, presentGroup);
}

/** For operators: with WhatsApp's id, by which `wms group add` names a group. Newest first. */
export const groupsInWhatsApp = ({
  sql,
  organizationId,
}: InWorkspace): Promise<
  (Pick<GroupRow, 'id' | 'name' | 'number_id' | 'left_at'> & { readonly provider_id: string })[]
> =>
  sql.rows(
    `select id, name, number_id, provider_id, left_at from groups where organization_id = $1
     order by id desc`,
    [organizationId],
  );

/** All that the actor can see, newest first, by their names alone: for lists of choices. */
export function groupChoices(
  { sql, organizationId, actor }: ReadContext,
  which: 'all' | 'active',
): Promise<{ readonly id: string; readonly name: string }[]> {
  const { params, bind } = binding(organizationId);
  const seen = visibleThrough(actor, 'g', bind);
  return sql.rows(
    `select g.id, g.name from groups g where g.organization_id = $1 and ${seen}
       ${which === 'active' ? 'and g.left_at is null' : ''}
     order by g.id desc`,
    params,
  );
}

const presentGroup = ({ left_at, created_at, ...row }: GroupRow): GroupView => ({
  ...row,
  left_at: left_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
});
