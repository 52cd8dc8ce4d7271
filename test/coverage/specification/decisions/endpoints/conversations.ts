import { by, endpoint, type Line } from '../../../lines.ts';

/** Conversations, messages, media, groups, numbers, automations. */
export const conversationEndpoints: readonly Line[] = [
  endpoint(
    'GET /v1/conversations/{id}',
    'conversations:read',
    '§13 the Conversation',
    by(
      'conversations/conversations-api',
      'shows the fields of the specification and whether free text may be sent',
    ),
  ),
  endpoint(
    'POST /v1/conversations/{id}/messages',
    'messages:write',
    '§1 status 201, the Message, queued; §13 and §22 checked before',
    by(
      'conversations/sending',
      'answers the queued message, and nobody waits for an answer any more',
      'sending a message in a conversation › is refused with %s, and queues nothing',
      'takes 4,096 characters, however many bytes they have',
    ),
  ),
  endpoint(
    'POST /v1/conversations/{id}/close',
    'conversations:write',
    '§13 with `conversations.close`',
    by('conversations/closing', 'closes once, tells the customer how it went, and writes the log'),
  ),
  endpoint(
    'POST /v1/conversations/{id}/read',
    'messages:write',
    'what was seen is unread no more; the person still waits (decision 34)',
    by(
      'conversations/marking-read',
      'takes what was seen off the unread, once, and leaves the person waiting',
      'is refused up to a message of another conversation, and without one',
    ),
  ),
  endpoint(
    'GET /v1/conversations/{id}/activities',
    'conversations:read',
    '§13 the lines of a conversation',
    by(
      'conversations/transfer',
      'sets the team and clears the member, keeps the status, and appends a line',
    ),
  ),
  endpoint(
    'POST /v1/messages',
    'messages:write',
    '§1 a number and exactly one of contact, phone, group',
    by(
      'conversations/sending',
      'begins the conversation with a contact once',
      'finds the contact whose phone is spelled differently, and creates an unknown one',
      'sending a message to somebody › is refused with %s',
    ),
  ),
  endpoint(
    'GET /v1/messages/{id}',
    'messages:read',
    'as in the list, for whoever sees its conversation',
    by(
      'conversations/conversations-api',
      'reads one message by its id, with what became of it, for whoever sees its conversation',
    ),
  ),
  endpoint(
    'GET /v1/templates',
    'numbers:read',
    '§1 the approved ones of a number',
    by(
      'templates/templates',
      'are the approved ones of a number, with their words and how many parameters they take',
    ),
  ),
  endpoint(
    'POST /v1/media',
    'messages:write',
    '§24 multipart; `{id, type, name, size}`',
    by('media/media', 'comes back byte by byte as an attachment', 'is judged by what it holds: %s'),
  ),
  endpoint(
    'GET /v1/media/{id}',
    'messages:read',
    'what is known of a file',
    by('media/media', 'comes back byte by byte as an attachment'),
  ),
  endpoint(
    'GET /v1/media/{id}/content',
    'messages:read',
    'its bytes, as an attachment',
    by(
      'media/media',
      'comes back byte by byte as an attachment',
      'of a person is seen by who sees the conversation, and has no bytes while it is coming',
    ),
  ),
  endpoint(
    'POST /v1/groups/{id}/messages',
    'groups:write',
    '§23 status 201, the Message, queued',
    by(
      'groups/groups',
      'receive a message that is queued for their own pace',
      'that we left take nothing',
      'need the permission for groups, also through their conversation',
    ),
  ),
  endpoint(
    'GET /v1/groups/{id}',
    'groups:read',
    'as in the list, for whoever sees its conversation',
    by('groups/groups', 'are hidden from who does not see their conversation'),
  ),
  endpoint(
    'GET /v1/numbers',
    'numbers:read',
    '§24 `list_numbers`',
    by('numbers/numbers', 'lists the workspace’s own, newest first, page by page'),
  ),
  endpoint(
    'GET /v1/numbers/{id}',
    'numbers:read',
    '§8 the Number with provider, reason and capabilities',
    by(
      'numbers/numbers',
      'connects a sandbox number under digits of its own, without ceiling and window',
    ),
  ),
  endpoint(
    'GET /v1/automations',
    'automations:read',
    '§9 by `status`',
    by('automations/drafts', 'is newest first, page by page, by status'),
  ),
  endpoint(
    'GET /v1/automations/{id}',
    'automations:read',
    '§9 with definition and issues',
    by('automations/drafts', 'answers a draft of version 0 with what may be wrong with it'),
  ),
  endpoint(
    'GET /v1/automation-guide',
    'automations:read',
    '§9 in words, for whoever writes a draft',
    by('automations/drafts', 'the guide to drafts is the page of the documentation'),
  ),
  endpoint(
    'PATCH /v1/automations/{id}',
    'automations:write',
    'the draft',
    by(
      'automations/drafts',
      'changes only what it names, and says so in the log without a word of the texts',
      'is open to API keys, as its activation is',
    ),
  ),
  endpoint(
    'GET /v1/automations/{id}/runs',
    'automations:read',
    '§9 by `status` and `contact_id`',
    by('automations/runs', 'are listed newest first, by status and by contact, page by page'),
  ),
  endpoint(
    'GET /v1/runs/{id}',
    'automations:read',
    '§9 with its steps',
    by('automations/runs', 'show what started them, where they stand and which steps they took'),
  ),
  endpoint(
    'POST /v1/automations/{id}/simulate',
    'automations:read',
    '§9 the draft, run against an invented person in skipped time',
    by(
      'automations/simulation/simulating',
      'shows each step, the branch it took, its time and its messages',
    ),
    by('automations/simulation/nothing-happens', 'keeps, sends and wakes nothing'),
  ),
  endpoint(
    'POST /v1/runs/{id}/cancel',
    'automations:write',
    '§9 the run, cancelled',
    by(
      'automations/runs',
      'from %s keeps to the states',
      'happens once for two who ask at the same time, and stands in the log once',
    ),
  ),
];
