import { Migration } from '@mikro-orm/migrations';

/** Birthdays that are found by an index, and reminders and deals by what they are filtered by. */
export class Migration20261121_0014_reminders extends Migration {
  override up(): void {
    this.addSql(birthdays);
    this.addSql(reminders);
    this.addSql(deals);
  }
}

const birthdays = `
-- Month * 100 + day. A column, because under row level security an index on the expression is never used.
drop index contacts_birthday;
alter table contacts add column birth_day int
  generated always as ((extract(month from birth_date) * 100 + extract(day from birth_date))::int) stored;
create index contacts_birth_day on contacts (organization_id, birth_day) where birth_day is not null;
`;

const reminders = `
create index reminders_of_group on reminders (organization_id, group_id) where group_id is not null;
create index reminders_of_number on reminders (organization_id, number_id, id desc);
`;

// Each ends with the id: whoever filters by one value reads the newest first and stops after a page.
const deals = `
drop index deals_of_stage;
create index deals_of_stage on deals (organization_id, stage_id, id desc);
create index deals_of_status on deals (organization_id, pipeline_id, status, id desc);
create index deals_of_owner on deals (organization_id, owner_id, id desc) where owner_id is not null;
`;
