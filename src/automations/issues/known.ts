import { visibleCampaigns, visibleNumbers, visibleThroughAny } from '../../access/visibility.ts';
import type { ReadContext } from '../../context.ts';
import { binding } from '../../db/sql.ts';
import { CAN_ANSWER } from '../../members/assigning.ts';
import { hasPassed } from '../clock/days.ts';
import type { Definition } from '../definition/language.ts';
import type { Known } from './issues.ts';
import { type Noun, type Reference, referencesOf } from './references.ts';
import { missingTemplates } from './templates.ts';

type Pair = 'stage_of' | 'member_of' | 'answering_in';

const TABLES: Readonly<Record<Exclude<Noun, Pair>, string>> = {
  automation: 'automations',
  campaign: 'campaigns',
  form: 'forms',
  media: 'media',
  member: 'members',
  number: 'numbers',
  pipeline: 'pipelines',
  segment: 'segments',
  stage: 'stages',
  team: 'teams',
};

const PAIRS: Readonly<Record<Pair, string>> = {
  stage_of: `select t.pipeline_id || '/' || t.id as id from stages t
    join unnest($2::text[]) as asked (id) on t.id = split_part(asked.id, '/', 2) and t.pipeline_id = split_part(asked.id, '/', 1)
    where t.organization_id = $1`,
  member_of: `select t.team_id || '/' || t.member_id as id from team_members t
    join unnest($2::text[]) as asked (id) on t.member_id = split_part(asked.id, '/', 2) and t.team_id = split_part(asked.id, '/', 1)
    where t.organization_id = $1`,
  answering_in: `select t.team_id || '/' || t.member_id as id from team_members t
    join unnest($2::text[]) as asked (id) on t.member_id = split_part(asked.id, '/', 2) and t.team_id = split_part(asked.id, '/', 1)
    join members m on m.organization_id = $1 and m.id = t.member_id and ${CAN_ANSWER}
    where t.organization_id = $1`,
};

const isPair = (noun: Noun): noun is Pair => noun in PAIRS;

/** Looks up the records that definitions refer to. Those the caller cannot see count as missing. */
export async function knownTo(
  ctx: Pick<ReadContext, 'sql' | 'organizationId' | 'actor' | 'now'>,
  definition: Definition,
): Promise<Known> {
  const asked = Map.groupBy(referencesOf(definition), ({ noun }) => noun);
  const found = new Set<string>();
  for (const [noun, references] of asked) {
    const ids = [...new Set(references.map(({ id }) => id))];
    for (const id of await lookUp(ctx, noun, ids)) found.add(`${noun} ${id}`);
  }
  const numbers = await numbersOf(ctx, definition);
  return {
    has: ({ noun, id }) => found.has(`${noun} ${id}`),
    window: numbers.some(({ window }) => window),
    templates: await missingTemplates(
      ctx,
      definition,
      numbers.map(({ id }) => id),
    ),
    passed: await hasPassed(ctx, definition.trigger),
  };
}

type Asking = Parameters<typeof knownTo>[0];

const SEEN: { readonly [N in Noun]?: typeof visibleNumbers } = {
  campaign: visibleCampaigns,
  media: visibleThroughAny,
  number: visibleNumbers,
};

async function lookUp(ctx: Asking, noun: Noun, ids: readonly string[]): Promise<string[]> {
  const { params, bind } = binding(ctx.organizationId, ids);
  const text = isPair(noun)
    ? PAIRS[noun]
    : `select t.id from ${TABLES[noun]} t where t.organization_id = $1 and t.id = any($2::text[])
         and ${SEEN[noun]?.(ctx.actor, 't', bind) ?? 'true'}`;
  const rows = await ctx.sql.rows<Pick<Reference, 'id'>>(text, params);
  return rows.map(({ id }) => id);
}

/** The trigger's numbers, or all if it names none. */
async function numbersOf(
  { sql, organizationId }: Asking,
  { trigger }: Definition,
): Promise<{ readonly id: string; readonly window: boolean }[]> {
  const named = 'number_ids' in trigger ? trigger.number_ids : [];
  return sql.rows(
    `select id, window_24h as window from numbers
     where organization_id = $1 and (cardinality($2::text[]) = 0 or id = any($2::text[]))`,
    [organizationId, named],
  );
}
