import { Migration } from '@mikro-orm/migrations';

/**
 * Until when a conversation's window runs that nothing written has opened: a call, or a correction of what we never heard.
 * The person has written there once the window's end is another, also where the previous release, which does not know of
 * this, has moved it.
 */
export class Migration20261129_0142_windows_without_words extends Migration {
  override up(): void {
    this.addSql('alter table conversations add column unwritten_until timestamptz');
  }
}
