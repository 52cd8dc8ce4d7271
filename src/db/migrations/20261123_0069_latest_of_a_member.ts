import { Migration } from '@mikro-orm/migrations';

/**
 * Later pages of the inbox begin where the index says, and a member who sees their own conversations finds them, and
 * their numbers, without reading those of all others. `coalesce` is no function that row level security lets reach an
 * index before its policy has been asked; `case` is none at all. Conversations are read meanwhile, and written to
 * afterwards. The index `conversations_latest` is the previous release's, and goes with the next one.
 */
export class Migration20261123_0069_latest_of_a_member extends Migration {
  override up(): void {
    this.addSql(`
      create index conversations_by_latest on conversations
        (organization_id, (case when last_message_at is null then created_at else last_message_at end) desc, id desc);
      create index conversations_of_member_latest on conversations
        (organization_id, assigned_member_id, (case when last_message_at is null then created_at else last_message_at end) desc, id desc)
        where assigned_member_id is not null;
      create index conversations_of_member_by_number on conversations (organization_id, assigned_member_id, number_id)
        where assigned_member_id is not null;
    `);
  }
}
