import { Migration } from '@mikro-orm/migrations';

/** What the public page of a form needs: to be found by its id alone, and to keep answers as they were asked. */
export class Migration20261121_0013_forms extends Migration {
  override up(): void {
    this.addSql(forms);
    this.addSql(submissions);
  }
}

const forms = `
alter table forms
  -- Asks for no phone: only a personal link, which names the contact, opens it.
  add column personal_link boolean not null default false,
  -- Every key a field of this form ever had: a new field never takes the key of a removed one.
  add column field_keys text[] not null default '{}';
-- The page looks a form up before it knows the workspace.
create unique index forms_by_id on forms (id);
`;

const submissions = `
alter table form_submissions
  -- json keeps the order of the questions, jsonb would not.
  alter column answers type json using answers::json,
  -- Who else the answers point to, when the phone is one contact's and the e-mail address another's.
  add column conflict_contact_id text,
  add foreign key (organization_id, conflict_contact_id) references contacts (organization_id, id) on delete set null (conflict_contact_id);
create index form_submissions_of_conflict on form_submissions (organization_id, conflict_contact_id) where conflict_contact_id is not null;
`;
