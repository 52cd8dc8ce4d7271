import { HELD_BACK } from '../../conversations/lane/checking.ts';
import { wordsIn } from '../../db/sql.ts';

// What the last look before sending keeps back is passed over, as it is when it is to be queued; what WhatsApp refuses has
// its code. A message that no longer exists was deleted with its contact.
const IS_HELD_BACK = `m.error ->> 'provider_code' is null
  and m.error ->> 'code' in ${wordsIn(HELD_BACK)}`;

/** What became of a recipient by its settled message `m`, whose columns are null for a deleted one. */
export const STATUS = `case when m.id is null or m.status = 'failed' and ${IS_HELD_BACK} then 'skipped'
  when m.status in ('delivered', 'read') then 'sent' else m.status end`;

/** Why a recipient got nothing; null where the status says it. */
export const REASON = `case when m.id is null then 'no_recipient'
  when m.status = 'failed' then m.error ->> case when ${IS_HELD_BACK} then 'code' else 'reason' end end`;
