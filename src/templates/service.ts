import { visibleNumbers } from '../access/visibility.ts';
import type { InWorkspace, ReadContext } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import { type FieldProblem, validation } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { bodyOf, NEEDS_MORE, parametersOf } from './rules.ts';
import type { TemplateFilters, TemplateView } from './schema.ts';

interface TemplateRow {
  /** Its position in the list. */
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly number_id: string;
  readonly components: readonly unknown[];
}

/** The templates that may be sent now, by number, name and language. */
export async function listTemplates(
  { sql, organizationId, actor }: ReadContext,
  { number_id: numberId }: TemplateFilters,
  page: PageRequest,
): Promise<PageOf<TemplateView>> {
  const { params, bind } = binding(organizationId, page.limit + 1);
  const conditions = [
    visibleNumbers(actor, 'n', bind),
    ...(numberId === undefined ? [] : [`t.number_id = ${bind(numberId)}`]),
    ...(page.after ? [`${PLACE} > ${bind(page.after.id)}`] : []),
  ];
  const rows = await sql.rows<TemplateRow>(
    `${SENDABLE} and ${conditions.join(' and ')} order by 1 limit $2`,
    params,
  );
  return pageOf(rows, page, presentTemplate);
}

/** One of them; null if there is none of that name and language. */
export async function findTemplate(
  { sql, organizationId, actor }: ReadContext,
  { number_id, name, language }: Pick<TemplateView, 'number_id' | 'name' | 'language'>,
): Promise<TemplateView | null> {
  const { params, bind } = binding(organizationId, number_id, name, language);
  const row = await first<TemplateRow>(
    sql,
    `${SENDABLE} and ${visibleNumbers(actor, 'n', bind)} and t.number_id = $2 and t.name = $3 and t.language = $4`,
    params,
  );
  return row && presentTemplate(row);
}

const PLACE = `(t.number_id || ' ' || t.name || ' ' || t.language) collate "C"`;

const SENDABLE = `select ${PLACE} as id, t.name, t.language, t.category, t.number_id, t.components
  from templates t join numbers n on n.organization_id = t.organization_id and n.id = t.number_id
  where t.organization_id = $1 and t.status = 'APPROVED' and not ${NEEDS_MORE}`;

const presentTemplate = ({ id: _, components, ...row }: TemplateRow): TemplateView => ({
  ...row,
  body: bodyOf(components),
  parameters: parametersOf(components),
});

interface Wanted {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
}

/**
 * 422 `validation` if the template is not approved for the number, has a different number of parameters, or needs some
 * outside its body. Unless a number's templates were read lately, WhatsApp alone decides.
 */
export async function requireTemplate(
  ctx: InWorkspace,
  numberId: string,
  wanted: Wanted,
): Promise<void> {
  const [judged] = await templateProblems(ctx, [numberId], [wanted]);
  const problem = judged?.get(numberId);
  if (problem) throw validation([problem]);
}

/** Six readings. An older list says nothing of a template approved since: WhatsApp alone decides then. */
const TRUSTED = '1 hour';

interface JudgedRow {
  readonly numberId: string;
  readonly name: string | null;
  readonly language: string | null;
  readonly components: readonly unknown[] | null;
  readonly needsMore: boolean | null;
}

/**
 * What keeps each number from sending each of the templates, in their order; null where nothing does. Numbers whose
 * templates were not read lately are left out.
 */
export async function templateProblems(
  { sql, organizationId }: InWorkspace,
  numberIds: readonly string[],
  templates: readonly Wanted[],
): Promise<ReadonlyMap<string, FieldProblem | null>[]> {
  const rows = await sql.rows<JudgedRow>(
    `select s.number_id as "numberId", t.name, t.language, t.components, ${NEEDS_MORE} as "needsMore"
     from template_syncs s left join templates t on t.organization_id = $1 and t.number_id = s.number_id
       and (t.name, t.language) in (select * from unnest($3::text[], $4::text[])) and t.status = 'APPROVED'
     where s.organization_id = $1 and s.number_id = any($2::text[]) and s.synced_at > now() - interval '${TRUSTED}'`,
    [
      organizationId,
      numberIds,
      templates.map(({ name }) => name),
      templates.map(({ language }) => language),
    ],
  );
  const byNumber = [...Map.groupBy(rows, ({ numberId }) => numberId)];
  return templates.map(
    (wanted) => new Map(byNumber.map(([numberId, known]) => [numberId, problemOf(known, wanted)])),
  );
}

function problemOf(
  known: readonly JudgedRow[],
  { name, language, parameters }: Wanted,
): FieldProblem | null {
  const found = known.find((row) => row.name === name && row.language === language);
  if (!found?.components) {
    const message = 'The number has no approved template of this name and language.';
    return { path: 'template', rule: 'unknown_template', message };
  }
  if (found.needsMore) {
    const message =
      'The template needs parameters for its header or its buttons, which cannot be sent here.';
    return { path: 'template', rule: 'unsupported', message };
  }
  const limit = parametersOf(found.components);
  if (limit === parameters.length) return null;
  const message = `The template takes ${limit} parameters.`;
  return { path: 'template.parameters', rule: 'count', message, limit };
}
