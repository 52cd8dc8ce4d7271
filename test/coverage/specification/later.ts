import type { LaterLine } from '../lines.ts';

const automations = 'the interpreter of automations';
const console = 'the console';

export const notBuiltYet: readonly LaterLine[] = [
  {
    line: 'Runs of automations: their steps, waits, handover, loop guard, error codes',
    subject: automations,
  },
  { line: '`run_id` of a submission', subject: automations },
  { line: 'Snoozing a conversation', subject: console },
  {
    line: 'Later event types: `message.failed`, `message.delivered`, `campaign.finished` and the others of §16',
    subject: 'additions to the webhooks',
  },
  {
    line: '`Deprecation` and `Sunset` headers, when there is a second version',
    subject: 'a second version of the API',
  },
];
