import { visibleCampaigns, visibleNumbers } from '../access/visibility.ts';
import type { ReadContext } from '../context.ts';
import { type Bind, binding } from '../db/sql.ts';
import { type FieldProblem, validation } from '../errors.ts';
import { type Condition, fieldNamed, type IdNoun, isGroup, type Rules } from './rules.ts';

interface NamedId {
  readonly noun: IdNoun;
  readonly id: string;
  readonly path: string;
}

interface Naming {
  readonly before?: Rules;
  /**
   * Asks again for what is not removed while a segment names it, which then stays until the transaction ends. Its own
   * work waits for that as well (campaigns that a number halts), so this comes last, after the count.
   */
  readonly kept?: boolean;
}

/** Whose removal asks for the segments that name them; the others leave, and stay in the rules as nobody. */
const STAYING: ReadonlySet<IdNoun> = new Set(['number', 'team', 'pipeline', 'stage']);

/** In the order in which they are held: a pipeline before its stages, like whoever removes it. */
const TABLES: Readonly<Record<IdNoun, string>> = {
  member: 'members',
  number: 'numbers',
  team: 'teams',
  pipeline: 'pipelines',
  stage: 'stages',
  campaign: 'campaigns',
  form: 'forms',
  automation: 'automations',
};

/**
 * Refuses ids that do not exist or that the caller cannot see, naming the place of each: 422 `validation`. What the
 * rules named `before` may have left since, or be out of the caller's sight.
 */
export async function requireKnownIds(
  ctx: ReadContext,
  rules: Rules,
  { before, kept = false }: Naming = {},
): Promise<void> {
  const old = new Set(before && idsOf(before, 'rules').map(keyOf));
  const named = idsOf(rules, 'rules').filter(
    (each) => !old.has(keyOf(each)) && (!kept || STAYING.has(each.noun)),
  );
  const known = new Set<string>();
  for (const noun of Object.keys(TABLES) as IdNoun[]) {
    const ids = named.filter((each) => each.noun === noun).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const id of await knownIds(ctx, noun, ids, kept)) known.add(id);
  }
  const problems: FieldProblem[] = named
    .filter(({ id }) => !known.has(id))
    .map(({ noun, path }) => ({ path, rule: 'unknown', message: `There is no such ${noun}.` }));
  if (problems.length > 0) throw validation(problems);
}

const keyOf = ({ noun, id }: NamedId): string => `${noun} ${id}`;

async function knownIds(
  ctx: ReadContext,
  noun: IdNoun,
  ids: string[],
  kept: boolean,
): Promise<string[]> {
  const { params, bind } = binding(ctx.organizationId, ids);
  const rows = await ctx.sql.rows<{ id: string }>(
    `select t.id from ${TABLES[noun]} t
     where t.organization_id = $1 and t.id = any($2::text[]) and ${visible(ctx, noun, bind)}
     order by t.id ${kept ? 'for key share of t' : ''}`,
    params,
  );
  return rows.map(({ id }) => id);
}

function visible({ actor }: ReadContext, noun: IdNoun, bind: Bind): string {
  if (noun === 'number') return visibleNumbers(actor, 't', bind);
  return noun === 'campaign' ? visibleCampaigns(actor, 't', bind) : 'true';
}

function idsOf(rules: Rules, path: string): NamedId[] {
  if (!isGroup(rules)) return idsOfCondition(rules, `${path}.value`);
  if ('not' in rules) return idsOf(rules.not, `${path}.not`);
  const [word, parts] = 'all' in rules ? ['all', rules.all] : ['any', rules.any];
  return parts.flatMap((part, index) => idsOf(part, `${path}.${word}[${index}]`));
}

function idsOfCondition({ field, value }: Condition, path: string): NamedId[] {
  const noun = fieldNamed(field)?.ids;
  if (!noun) return [];
  if (typeof value === 'string') return [{ noun, id: value, path }];
  if (!Array.isArray(value)) return [];
  return value.map((id: string, index) => ({ noun, id, path: `${path}[${index}]` }));
}
