import { Migration } from '@mikro-orm/migrations';

/**
 * What the messages of deleted people counted for, in the form of the reports' days but at its moment: a day may be read
 * up to a time, and begins elsewhere in another time zone. A day that is counted anew adds it to what is there.
 */
export class Migration20261123_0070_report_remains extends Migration {
  override up(): void {
    for (const kind of ['message', 'conversation']) {
      const table = `report_${kind}_remains`;
      this.addSql(`
        create table ${table} (like report_${kind}_days,
          foreign key (organization_id) references workspaces (organization_id));
        alter table ${table} alter column day type timestamptz;
        alter table ${table} rename column day to at;
        create index ${table}_by on ${table} (organization_id, at);
        call wms.own_by_workspace('${table}', 'select, insert');
      `);
    }
  }
}
