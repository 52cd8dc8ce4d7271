import { by, endpoint, type Line } from '../../../lines.ts';

const steps = by('campaigns/steps', '%s from %s goes as the table says');

/** Pipelines, reminders, campaigns. */
export const workEndpoints: readonly Line[] = [
  endpoint(
    'GET /v1/pipelines/{id}',
    'pipelines:read',
    '§2 the Pipeline',
    by(
      'pipelines/pipelines',
      'are listed in the specification’s words, newest first, their stages by position',
    ),
  ),
  endpoint(
    'GET /v1/pipelines/{id}/deals',
    'pipelines:read',
    '§2 by `status`, `stage_id`, `owner_id`, and by `contact_id`',
    by(
      'pipelines/moving-deals',
      'are listed newest first, page by page, and filtered by status, stage, owner and contact',
    ),
  ),
  endpoint(
    'POST /v1/deals',
    'pipelines:write',
    '§2 status 201, the Deal',
    by(
      'pipelines/creating-deals',
      'answers 201 with every field, says so to subscribers, and writes the log',
      'refuses a wrong %s by the rule %s',
    ),
  ),
  endpoint(
    'GET /v1/deals/{id}',
    'pipelines:read',
    '§2 the Deal',
    by('pipelines/creating-deals', 'is closed from the start in a stage that ends it'),
  ),
  endpoint(
    'PATCH /v1/deals/{id}',
    'pipelines:write',
    'what is left out stays',
    by(
      'pipelines/changing-deals',
      'writes what it names, leaves the rest, and says in the log what was there before',
      'refuses a wrong %s by the rule %s',
    ),
  ),
  endpoint(
    'DELETE /v1/deals/{id}',
    'pipelines:write',
    'for good; the log keeps its history',
    by(
      'pipelines/changing-deals',
      'takes it away for good, with its name in the log, and leaves its stage to be removed',
    ),
  ),
  endpoint(
    'POST /v1/deals/{id}/move',
    'pipelines:write',
    '§2 `{stage_id}`',
    by(
      'pipelines/moving-deals',
      'tells from where to where, and how it stands then',
      'stays within the pipeline',
    ),
  ),
  endpoint(
    'POST /v1/reminders',
    'reminders:write',
    '§10 status 201, the Reminder',
    by(
      'reminders/creating',
      'answers 201 with the specification’s fields first, active, with its first run',
      'refuses a wrong %s by the rule %s: %j',
    ),
  ),
  endpoint(
    'GET /v1/reminders/{id}',
    'reminders:read',
    '§10 the Reminder',
    by(
      'reminders/creating',
      'answers 201 with the specification’s fields first, active, with its first run',
    ),
  ),
  endpoint(
    'PATCH /v1/reminders/{id}',
    'reminders:write',
    '§10 what is left out stays',
    by(
      'reminders/changing',
      'keeps what is left out, counts the next run from now, and writes the log',
      'asks for what the new repeat needs, and refuses what it has no use for',
    ),
  ),
  endpoint(
    'GET /v1/reminders/{id}/runs',
    'reminders:read',
    '§10 page of runs',
    by('reminders/listing', 'are listed newest first, page by page, in the words of the record'),
  ),
  endpoint(
    'GET /v1/reminders/{id}/runs/{run_id}/recipients',
    'reminders:read',
    '§10 whom a run was for, by `status`',
    by(
      'reminders/listing',
      'is told with what became of each, and filtered by it',
      'is a group, or nobody for a phone that is no contact yet',
      'is not told under another reminder',
    ),
  ),
  endpoint(
    'GET /v1/campaigns',
    'campaigns:read',
    '§6 by `status`, `number_id`',
    by(
      'campaigns/drafts',
      'is newest first, page by page, and filtered by status, number and segment',
    ),
  ),
  endpoint(
    'PATCH /v1/campaigns/{id}',
    'campaigns:write',
    '§6 only in draft',
    by('campaigns/drafts', 'can be changed in part'),
    by('campaigns/audience/targets', 'are changed by PATCH, which drops what named the old one'),
  ),
  endpoint(
    'DELETE /v1/campaigns/{id}',
    'campaigns:write',
    '§6 only in draft',
    by('campaigns/drafts', 'can be deleted'),
  ),
  endpoint(
    'POST /v1/campaigns/{id}/schedule',
    'campaigns:send',
    '§6 `{when?}`; a time is needed by then',
    steps,
    by('campaigns/steps', 'need a time before a schedule'),
  ),
  endpoint('POST /v1/campaigns/{id}/unschedule', 'campaigns:write', '§6 a draft again', steps),
  endpoint(
    'POST /v1/campaigns/{id}/pause',
    'campaigns:write',
    '§6 stopping needs only `campaigns:write`',
    steps,
  ),
  endpoint(
    'POST /v1/campaigns/{id}/resume',
    'campaigns:send',
    '§6 starting needs `campaigns:send`',
    steps,
  ),
  endpoint(
    'POST /v1/campaigns/{id}/cancel',
    'campaigns:write',
    '§6 from draft, scheduled, sending, paused',
    steps,
  ),
  endpoint(
    'GET /v1/campaigns/{id}/recipients',
    'campaigns:read',
    '§7 by `status`',
    by(
      'campaigns/audience/recipients',
      'are listed newest first, page by page, each with what became of it',
      'are filtered by status, of the nine there are',
    ),
  ),
  endpoint(
    'POST /v1/campaigns/{id}/preview',
    'campaigns:read',
    '§6 who, who not and why, the texts, the end',
    by(
      'campaigns/preview',
      'to %s says what then happens: who, who not and why, the texts, and when it ends',
      'changes nothing and sends nothing',
    ),
  ),
  endpoint(
    'POST /v1/campaigns/{id}/test',
    'campaigns:send',
    '§6 to one phone',
    by(
      'campaigns/trials',
      'sends the text to one phone as it reads there, and counts in no result',
    ),
  ),
  endpoint(
    'GET /v1/campaigns/{id}/proof',
    'campaigns:read',
    '§6 a line for each recipient',
    by(
      'campaigns/proof',
      'has one line for each recipient, adds up with the frozen audience, and is verified',
      'is there for campaigns that are over, and no others',
    ),
  ),
  endpoint(
    'POST /v1/campaigns/{id}/retry',
    'campaigns:write',
    '§6 a new draft, linked by `retry_of`',
    by(
      'campaigns/trials',
      'is a new draft to those of the statuses, which says what it retries',
      'is for the recipients who are named, and for nobody when one of them cannot be',
      'is refused while the campaign runs, for nobody, and for whoever got it',
    ),
  ),
];
