import { by, endpoint, type Line } from '../../../lines.ts';

/** Contacts, forms, segments, members, webhooks. */
export const peopleEndpoints: readonly Line[] = [
  endpoint(
    'GET /v1/contacts',
    'contacts:read',
    '§12 with `q`, `phone`, `email`, `tag`, `owner_id`, `opted_out`, `origin`, `updated_since`',
    by(
      'contacts/listing',
      'find by %s',
      'find by owner, and nobody for another workspace’s member',
      'refuse a wrong %s',
    ),
  ),
  endpoint(
    'POST /v1/contacts',
    'contacts:write',
    '§12 the full record',
    by(
      'contacts/creating',
      'answers the full record, with the phone in E.164 and as its first identity',
      'refuses %s, names the field and writes nothing',
    ),
  ),
  endpoint(
    'GET /v1/contacts/{id}',
    'contacts:read',
    '§12 the full record',
    by('contacts/listing', 'shows in each item what the single record shows'),
  ),
  endpoint(
    'DELETE /v1/contacts/{id}',
    'contacts:write',
    '§24 with `contacts.delete`; `{id, deleted: true}`',
    by(
      'contacts/deleting',
      'answers the id, and from then on nobody of that id is known',
      'takes conversations, messages, deals and runs along, and ends reminders',
    ),
  ),
  endpoint(
    'POST /v1/contacts/{id}/merge',
    'contacts:write',
    '§12 merge is explicit',
    by(
      'contacts/merging',
      'keeps the one of the path, fills its gaps, and joins lists and notes',
      'gives nobody one campaign twice',
    ),
  ),
  endpoint(
    'POST /v1/contacts/imports',
    'contacts:write',
    'a CSV file, by a workflow',
    by('contacts/imports-api', 'answers at once what it will do, and asks for its workflow'),
    by(
      'contacts/import-workflow',
      'takes every row in and ends, telling the operator how far it is without a name or phone',
    ),
  ),
  endpoint(
    'GET /v1/contacts/imports',
    'contacts:read',
    'page of imports',
    by('contacts/imports-api', 'answers at once what it will do, and asks for its workflow'),
  ),
  endpoint(
    'GET /v1/contacts/imports/{id}',
    'contacts:read',
    'the import with its counts',
    by(
      'contacts/imports-api',
      'gives each row its outcome, in the order of the file and by the outcome',
    ),
  ),
  endpoint(
    'GET /v1/contacts/imports/{id}/rows',
    'contacts:read',
    'row by row: line, outcome, contact, problems',
    by(
      'contacts/imports-api',
      'gives each row its outcome, in the order of the file and by the outcome',
      'pages its rows without missing one',
    ),
  ),
  endpoint(
    'POST /v1/contacts/imports/{id}/cancel',
    'contacts:write',
    'who is in stays in',
    by(
      'contacts/imports-api',
      'stops when it is cancelled: who is in stays in, and the rest is forgotten',
    ),
  ),
  endpoint(
    'GET /v1/forms',
    'forms:read',
    '§3 by `status`',
    by('forms/publishing', 'lists forms newest first, by state'),
  ),
  endpoint(
    'GET /v1/forms/{id}',
    'forms:read',
    '§3 the Form',
    by(
      'forms/drafting',
      'answers a person 201 with the id alone, and an API key 403 oauth_required',
    ),
  ),
  endpoint(
    'PATCH /v1/forms/{id}',
    'forms:write',
    '§3 history survives edits',
    by(
      'forms/publishing',
      'counts the version up when something changed, and changes a published form at once',
    ),
    by('forms/once', 'keeps what was answered when the form is edited and the contact deleted'),
  ),
  endpoint(
    'POST /v1/forms/{id}/publish',
    'forms:write',
    '§3 `publish_form`: `{id, status, url}`',
    by(
      'forms/publishing',
      'puts it live at the address that is answered, and unpublishing takes it down',
    ),
  ),
  endpoint(
    'POST /v1/forms/{id}/unpublish',
    'forms:write',
    '§3 takes the page down',
    by(
      'forms/publishing',
      'puts it live at the address that is answered, and unpublishing takes it down',
    ),
  ),
  endpoint(
    'POST /v1/forms/{id}/links',
    'forms:write',
    '§3 a personal link',
    by(
      'forms/personal-links',
      'is answered as the contact of the link, who need not say who they are',
      'is made only for a published form that asks for no identity, and for a contact that exists',
    ),
  ),
  endpoint(
    'POST /v1/segments/preview',
    'segments:read',
    '§11 `{count, sample}` of at most ten',
    by(
      'segments/segments-api',
      'is previewed without being kept: the count and at most ten of those who match',
    ),
  ),
  endpoint(
    'GET /v1/segments',
    'segments:read',
    '§24 page of segments',
    by(
      'segments/segments-api',
      'is made by a person, answers how many match, and is shown with its rules',
    ),
  ),
  endpoint(
    'GET /v1/segments/{id}',
    'segments:read',
    '§11 the segment, counted anew',
    by('segments/segments-api', 'is counted anew when it is read'),
  ),
  endpoint(
    'DELETE /v1/segments/{id}',
    'segments:write',
    '§11 409 `in_use` while something uses it',
    by(
      'segments/segments-api',
      'is deleted unless something still to come uses it, and then says what',
    ),
  ),
  endpoint(
    'GET /v1/members',
    'members:read',
    '§17 page of members',
    by(
      'members/teams',
      'answers who they are, what they see, and who is there',
      'shows neither a password nor its hash',
    ),
  ),
  endpoint(
    'GET /v1/members/{id}',
    'members:read',
    'as in the list',
    by('members/teams', 'a team and a member are read by id as they stand in their lists'),
  ),
  endpoint(
    'GET /v1/teams/{id}',
    'members:read',
    'as in the list',
    by('members/teams', 'a team and a member are read by id as they stand in their lists'),
  ),
  endpoint(
    'GET /v1/webhooks/{id}',
    'webhooks:read',
    '§15 the endpoint, never its secret',
    by('webhooks/endpoints/changing', 'never shows the secret'),
  ),
  endpoint(
    'PATCH /v1/webhooks/{id}',
    'webhooks:write',
    '§15 name, url, events',
    by(
      'webhooks/endpoints/changing',
      'changes what the patch names and leaves the rest',
      'refuses a wrong %s and changes nothing',
    ),
  ),
];
