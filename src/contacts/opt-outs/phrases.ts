import type { AuditValue } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context, InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { validation } from '../../errors.ts';
import { wordsOf } from '../../folding.ts';

/** What a message asks for: no more messages, or messages again. */
export type Effect = 'out' | 'in';

const LONGEST = 60;

/**
 * What a message asks for, by the workspace's own phrases and the common ones; null for neither. The whole message
 * must be the phrase: "stop" within a sentence does not count.
 */
export async function effectOf(
  { sql, organizationId }: InWorkspace,
  text: string,
): Promise<Effect | null> {
  const phrase = wordsOf(text);
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

/** A phrase and its effect in the workspace; `none` is a common phrase that the workspace turned off. */
export interface Phrase {
  readonly phrase: string;
  readonly effect: Effect | 'none';
  /** Whether the workspace added it. */
  readonly own: boolean;
}

/** Every phrase with an effect, and the common ones turned off, in alphabetical order. */
export const listPhrases = ({ sql, organizationId }: InWorkspace): Promise<Phrase[]> =>
  sql.rows<Phrase>(
    `select phrase, coalesce(w.effect, c.effect) as effect, w.phrase is not null as own
     from opt_out_phrases c full join (
       select * from workspace_opt_out_phrases where organization_id = $1) w using (phrase)
     order by phrase`,
    [organizationId],
  );

/**
 * Makes a phrase opt people out, or in. It is stored in its normalised form. Throws 422 `validation` if it has no
 * letters or digits, or is too long.
 */
export const addPhrase = (ctx: Context, written: string, effect: Effect): Promise<Phrase> =>
  changePhrase(ctx, written, effect);

/** Takes away a phrase's effect: an own phrase is deleted, a common one is turned off for this workspace. */
export const removePhrase = (ctx: Context, written: string): Promise<Phrase> =>
  changePhrase(ctx, written, 'none');

const changePhrase = (ctx: Context, written: string, effect: Phrase['effect']): Promise<Phrase> =>
  transact(ctx, async (tx) => {
    const phrase = readPhrase(written);
    const { common, before } = await effectsOf(tx, phrase);
    const own = effect !== (common ?? 'none');
    if (before === effect) return { phrase, effect, own };
    await tx.sql.rows(
      own
        ? `insert into workspace_opt_out_phrases values ($1, $2, $3, $4)
           on conflict (organization_id, phrase) do update set effect = excluded.effect, created_at = excluded.created_at`
        : 'delete from workspace_opt_out_phrases where organization_id = $1 and phrase = $2',
      [tx.organizationId, phrase, ...(own ? [effect, tx.now] : [])],
    );
    await audit(tx, {
      action: effect === 'none' ? 'opt_out_phrase.removed' : 'opt_out_phrase.added',
      target: { type: 'opt_out_phrase', id: phrase, name: phrase },
      changes: [{ field: 'effect', from: shown(before), to: shown(effect) }],
    });
    return { phrase, effect, own };
  });

const shown = (effect: Phrase['effect']): AuditValue => (effect === 'none' ? null : effect);

function readPhrase(written: string): string {
  const phrase = wordsOf(written);
  if (phrase !== '' && phrase.length <= LONGEST) return phrase;
  const message = `Write 1 to ${LONGEST} letters and digits; signs between them say nothing.`;
  throw validation([{ path: 'phrase', rule: 'length', limit: LONGEST, message }]);
}

/** The phrase's effect on the common list, and its effect in this workspace before the change. */
async function effectsOf(
  { sql, organizationId }: Context,
  phrase: string,
): Promise<{ readonly common: Effect | null; readonly before: Phrase['effect'] }> {
  // One change at a time, so that each is logged relative to the one before it.
  await sql.rows('select 1 from workspaces where organization_id = $1 for no key update', [
    organizationId,
  ]);
  const row = await first<{ common: Effect | null; own: Phrase['effect'] | null }>(
    sql,
    `select (select effect from opt_out_phrases where phrase = $2) as common,
       (select effect from workspace_opt_out_phrases where organization_id = $1 and phrase = $2) as own`,
    [organizationId, phrase],
  );
  const common = row?.common ?? null;
  return { common, before: row?.own ?? common ?? 'none' };
}
