import { Migration } from '@mikro-orm/migrations';
import { inEachWorkspace } from '../backfill.ts';

const UNSEEN = String.raw`[\s\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]+`;

/** As `tagOf` in `src/contacts/rules.ts`, which every tag passes from now on. */
const KEPT = String.raw`regexp_replace(
  regexp_replace(normalize(t.given, nfc), '[\n\v\f\r\u0085\u2028\u2029]+', ' ', 'g'), '^${UNSEEN}|${UNSEEN}$', '', 'g')`;

/** Of tags that look the same, a contact keeps the first. Few have a tag that is written in another way. */
export class Migration20261129_0141_tags_that_look_the_same extends Migration {
  override up(): void {
    this.addSql(
      inEachWorkspace(`
update contacts c set tags = array(
  select k.tag from (
    select distinct on (lower(s.tag)) s.tag, t.n
    from unnest(c.tags) with ordinality t (given, n), lateral (select ${KEPT} as tag) s
    where s.tag <> '' order by lower(s.tag), t.n) k
  order by k.n)
where array_to_string(c.tags, ' ') ~ '[^ -~]' and exists (select from unnest(c.tags) t (given) where t.given <> ${KEPT})`),
    );
  }
}
