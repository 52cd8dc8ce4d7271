import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';

/** What a message asks for: no more messages, messages again, or neither. */
export type Effect = 'out' | 'in';

const LONGEST = 60;

/** A message as phrases are compared: case, accents and punctuation say nothing. */
const phraseOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** By the workspace's own phrases and the common ones. The whole message must be one: "stop" in a sentence is none. */
export async function effectOf(
  { sql, organizationId }: Pick<Context, 'sql' | 'organizationId'>,
  text: string,
): Promise<Effect | null> {
  const phrase = phraseOf(text);
  if (phrase === '' || phrase.length > LONGEST) return null;
  const row = await first<{ effect: Effect | 'none' }>(
    sql,
    `select effect from (
       select effect, 1 as rank from workspace_opt_out_phrases where organization_id = $1 and phrase = $2
       union all
       select effect, 2 from opt_out_phrases where phrase = $2) known
     order by rank limit 1`,
    [organizationId, phrase],
    'opt-out-phrase',
  );
  return row && row.effect !== 'none' ? row.effect : null;
}
