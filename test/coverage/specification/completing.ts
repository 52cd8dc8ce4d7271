import type { Section } from '../lines.ts';
import { completingPeople } from './completing-people.ts';
import { completingTalk } from './completing-talk.ts';
import { completingWebhooks } from './completing-webhooks.ts';
import { completingWork } from './completing-work.ts';

export const completing: Section = {
  title: 'Endpoints that the decisions add',
  source:
    'Design decisions §1 to §13, §15, §17, §23, §24: what the specification names without a reference, and what completes it',
  lines: [...completingPeople, ...completingWebhooks, ...completingTalk, ...completingWork],
};
