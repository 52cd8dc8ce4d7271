import type { LaterLine } from '../lines.ts';

export const notBuiltYet: readonly LaterLine[] = [
  {
    line: 'Snoozing a conversation: `snoozed_until` is shown, and nothing sets it',
    subject: 'an endpoint for it, which the specification does not name',
  },
  {
    line: 'Later event types of §16: `message.failed`, `message.delivered`, `campaign.finished` and others',
    subject: 'additions to the webhooks',
  },
  {
    line: '`Deprecation` and `Sunset` headers, when there is a second version',
    subject: 'a second version of the API',
  },
];
