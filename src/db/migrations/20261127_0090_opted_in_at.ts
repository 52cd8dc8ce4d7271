import { Migration } from '@mikro-orm/migrations';

/** When somebody last asked in words to get messages again: a wish from before it, told late, undoes it no more. */
export class Migration20261127_0090_opted_in_at extends Migration {
  override up(): void {
    this.addSql('alter table contacts add column opted_in_at timestamptz');
  }
}
