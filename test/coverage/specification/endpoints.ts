import { by, endpoint, type Line, oauthEndpoint, type Proof, type Section } from '../lines.ts';

const answers = by('contract/records', '%s answers %i with %s');

/** A row of the specification's table, with what it says comes back. */
const promised = (
  route: string,
  scope: string,
  says: string,
  ...proofs: readonly (readonly Proof[])[]
): Line => endpoint(route, scope, says, answers, ...proofs);

export const endpoints: Section = {
  title: 'Endpoints of the specification',
  source: 'Specification, Endpoints: the 26 rows of its table',
  lines: [
    promised(
      'GET /v1/reminders',
      'reminders:read',
      'query `limit`, `cursor`; page of Reminder',
      by(
        'reminders/listing',
        'is newest first, page by page, and filtered by status, target, number, contact and segment',
      ),
    ),
    promised(
      'DELETE /v1/reminders/{id}',
      'reminders:write',
      'no body; the Reminder, cancelled',
      by('reminders/changing', 'answers the record, cancelled, and keeps it and its runs'),
    ),
    oauthEndpoint(
      'POST /v1/forms',
      'forms:write',
      'form draft input; `{id}`',
      answers,
      by(
        'forms/drafting',
        'answers a person 201 with the id alone, and an API key 403 oauth_required',
      ),
    ),
    promised(
      'GET /v1/forms/{id}/submissions',
      'forms:read',
      'query `limit`, `cursor`; page of Form submission',
      by(
        'forms/submitting',
        'creates the contact by its phone, with every field, the tag and the way in',
      ),
      by(
        'http/paging',
        'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
      ),
    ),
    promised(
      'GET /v1/reports/automation',
      'automations:read',
      'report query; the automation report',
      by(
        'reports/reports',
        'the automation report counts conversations, answers, handovers and what the team was spared',
      ),
    ),
    promised(
      'GET /v1/reports/numbers',
      'numbers:read',
      'report query; the numbers report',
      by(
        'reports/reports',
        'the numbers report counts what reached the point of sending, what arrived and what was lost',
      ),
    ),
    promised(
      'PATCH /v1/numbers/{id}',
      'numbers:write',
      'name, teams, default team, stage, hours; the Number',
      by(
        'numbers/changing',
        'changes each of its fields, answers the record, and is audited field by field',
      ),
    ),
    promised(
      'POST /v1/campaigns',
      'campaigns:write',
      'campaign body; the Campaign, a draft that never sends',
      by(
        'campaigns/creating',
        'answers 201 with a draft, first in the specification’s words, and sets nothing in motion',
      ),
    ),
    promised(
      'GET /v1/campaigns/{id}',
      'campaigns:read',
      'no body; the Campaign with audience and results',
      by('campaigns/drafts', 'shows who would get it'),
      by(
        'campaigns/audience/freezing',
        'leaves out whoever must not, cannot or need not get it, and says why',
      ),
    ),
    promised(
      'POST /v1/campaigns/{id}/send',
      'campaigns:send',
      'no body; sends now to all recipients for real; the Campaign',
      by('campaigns/workflow', 'freezes, sends to everybody once and ends'),
      by('campaigns/steps', '%s from %s goes as the table says'),
    ),
    promised(
      'POST /v1/conversations/{id}/transfer',
      'conversations:write',
      'a team, optionally one of its members; the Conversation',
      by(
        'conversations/transfer',
        'sets the team and clears the member, keeps the status, and appends a line',
      ),
    ),
    promised(
      'POST /v1/conversations/{id}/reopen',
      'conversations:write',
      'no body; the Conversation',
      by('conversations/closing', 'reopens what is closed, and refuses what is open'),
    ),
    promised(
      'GET /v1/conversations/{id}/messages',
      'messages:read',
      'query `limit`, `cursor`; page of Message',
      by(
        'conversations/conversations-api',
        'lists the messages of one conversation, newest first, all fields present',
      ),
    ),
    promised(
      'GET /v1/conversations',
      'conversations:read',
      'query `status` and the other filters; page of Conversation',
      by('conversations/filters', 'keep to what is open or closed, and without one show both'),
      by(
        'conversations/conversations-api',
        'pages by creation and by the last message without repeating or leaving one out',
      ),
    ),
    promised(
      'GET /v1/groups',
      'groups:read',
      'query `limit`, `cursor`; page of Group',
      by(
        'groups/groups',
        'are listed with what the specification names, newest first, by number and by being in them',
      ),
      by(
        'http/paging',
        'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
      ),
    ),
    promised(
      'GET /v1/pipelines',
      'pipelines:read',
      'query `limit`, `cursor`; page of Pipeline',
      by(
        'pipelines/pipelines',
        'are listed in the specification’s words, newest first, their stages by position',
      ),
    ),
    promised(
      'POST /v1/automations/{id}/activate',
      'automations:write',
      'no body; the Automation, active',
      by('automations/activation', 'publishes a draft as version 1 and turns it on'),
    ),
    promised(
      'POST /v1/automations/{id}/deactivate',
      'automations:write',
      '`in_progress`; the Automation, inactive',
      by('automations/deactivation', 'turns it off and lets runs in progress finish'),
      by(
        'automations/runs',
        'ends the runs in progress of this automation alone, and no run that has ended',
      ),
    ),
    promised(
      'GET /v1/segments/{id}/contacts',
      'segments:read',
      'query `limit`, `cursor`; page of Contact',
      by(
        'segments/segments-api',
        'lists who matches now, newest first, with "" where there is nothing, and a cursor that is stable',
      ),
    ),
    promised(
      'GET /v1/teams',
      'members:read',
      'query `limit`, `cursor`; page of Team',
      by('members/teams', 'answers the specification’s record, newest first, page by page'),
    ),
    promised(
      'PATCH /v1/contacts/{id}',
      'contacts:write',
      'any of its fields; `{id}`',
      by(
        'contacts/changing',
        'answers the id, changes only what it names, and audits before and after',
      ),
    ),
    promised(
      'GET /v1/webhooks',
      'webhooks:read',
      'query `limit`, `cursor`; page of Webhook endpoint',
      by('webhooks/endpoints/creating', 'shows the secret once and keeps it encrypted'),
      by(
        'http/paging',
        'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
      ),
    ),
    promised(
      'POST /v1/webhooks',
      'webhooks:write',
      'name, url, events; status 201 with `{id, secret}`',
      by('webhooks/endpoints/creating', 'shows the secret once and keeps it encrypted'),
    ),
    promised(
      'DELETE /v1/webhooks/{id}',
      'webhooks:write',
      'no body; `{id, deleted}`',
      by(
        'webhooks/endpoints/creating',
        'ends its deliveries, frees its place and answers like a missing one afterwards',
      ),
    ),
    oauthEndpoint(
      'POST /v1/automations',
      'automations:write',
      'draft automation; the Automation with its version and issues',
      by(
        'automations/drafts',
        'answers a draft of version 0 with what may be wrong with it',
        'is for people and their apps: a key is told so',
      ),
    ),
    oauthEndpoint(
      'POST /v1/segments/rules',
      'segments:write',
      'draft segment; `{id, count}`',
      by(
        'segments/segments-api',
        'is made by a person, answers how many match, and is shown with its rules',
        'is never made by an API key',
      ),
    ),
  ],
};
