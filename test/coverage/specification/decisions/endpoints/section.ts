import type { Section } from '../../../lines.ts';
import { conversationEndpoints } from './conversations.ts';
import { peopleEndpoints } from './people.ts';
import { webhookEndpoints } from './webhooks.ts';
import { workEndpoints } from './work.ts';

export const addedEndpoints: Section = {
  title: 'Endpoints that the decisions add',
  source:
    'Design decisions §1 to §13, §15, §17, §23, §24: what the specification names without a reference, and what completes it',
  lines: [...peopleEndpoints, ...webhookEndpoints, ...conversationEndpoints, ...workEndpoints],
};
