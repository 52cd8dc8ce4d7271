import { Migration } from '@mikro-orm/migrations';

/**
 * What WhatsApp posted and nobody has taken in, by the number it is about (the first one, or none), and what only
 * reports apart from what people wrote. Of expressions, so that what the previous release stores is in it too. They are
 * those of `src/inbound/queries.ts`, to the letter.
 */
export class Migration20261129_0138_turns_of_inbound extends Migration {
  override up(): void {
    this.addSql(String.raw`create index inbound_webhooks_turns on inbound_webhooks (
      coalesce(substring(body from '"phone_number_id"\s*:\s*"(\d{1,32})"'), ''),
      (case when strpos(body, '"statuses":') > 0 and strpos(body, '"messages":') = 0 then 1 else 0 end),
      seq) where num_nulls(processed_at) = 1`);
  }
}
