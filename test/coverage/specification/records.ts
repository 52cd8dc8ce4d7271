import { by, line, type Section } from '../lines.ts';

const record = by(
  'contract/records',
  '%s has the specification’s fields first, each of its type, and every field is always there',
);

export const records: Section = {
  title: 'Records',
  source:
    'Specification, Resources and their fields: each field, its type, and the values that it may have',
  lines: [
    line(
      'Reminder',
      record,
      by(
        'reminders/creating',
        'answers 201 with the specification’s fields first, active, with its first run',
      ),
    ),
    line(
      'Form submission',
      record,
      by(
        'forms/submitting',
        'keeps each answer under its key with its label and type, in the order of the questions, null where it was left empty',
      ),
    ),
    line(
      'Number',
      record,
      by(
        'numbers/numbers',
        'connects a sandbox number under digits of its own, without ceiling and window',
      ),
    ),
    line(
      'Campaign',
      record,
      by(
        'campaigns/creating',
        'answers 201 with a draft, first in the specification’s words, and sets nothing in motion',
      ),
    ),
    line(
      'Conversation',
      record,
      by(
        'conversations/conversations-api',
        'shows the fields of the specification and whether free text may be sent',
      ),
    ),
    line(
      'Message',
      record,
      by(
        'conversations/conversations-api',
        'lists the messages of one conversation, newest first, all fields present',
      ),
    ),
    line(
      'Group',
      record,
      by(
        'groups/groups',
        'are listed with what the specification names, newest first, by number and by being in them',
      ),
    ),
    line(
      'Pipeline and its stages',
      record,
      by(
        'pipelines/pipelines',
        'are listed in the specification’s words, newest first, their stages by position',
      ),
    ),
    line('Automation', record, by('contract/records', '%s begins as its record does')),
    line(
      'Contact in segment lists',
      record,
      by(
        'segments/segments-api',
        'lists who matches now, newest first, with "" where there is nothing, and a cursor that is stable',
      ),
    ),
    line(
      'Team',
      record,
      by('members/teams', 'answers the specification’s record, newest first, page by page'),
    ),
    line(
      'Webhook endpoint',
      record,
      by('webhooks/endpoints/creating', 'shows the secret once and keeps it encrypted'),
    ),
    line(
      'Automation report',
      record,
      by(
        'reports/reports',
        'the automation report counts conversations, answers, handovers and what the team was spared',
      ),
    ),
    line(
      'Numbers report',
      record,
      by(
        'reports/reports',
        'the numbers report counts what reached the point of sending, what arrived and what was lost',
      ),
    ),
  ],
};
