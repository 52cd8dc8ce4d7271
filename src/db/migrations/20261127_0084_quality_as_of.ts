import { Migration } from '@mikro-orm/migrations';

/** When WhatsApp said it of a number's quality: what it repeats late is no news. */
export class Migration20261127_0084_quality_as_of extends Migration {
  override up(): void {
    this.addSql('alter table number_health add column quality_at timestamptz');
  }
}
