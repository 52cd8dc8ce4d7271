import { Migration } from '@mikro-orm/migrations';

/** Whom a number wrote to first on which day stays counted when the contact is deleted: the number wrote all the same. */
export class Migration20261122_0054_new_people_stay_counted extends Migration {
  override up(): void {
    this.addSql(
      'alter table first_contacts drop constraint first_contacts_organization_id_contact_id_fkey',
    );
  }
}
