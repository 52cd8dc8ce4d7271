import { zeros } from './present.ts';
import { firstLink, nextLink } from './proof/chain.ts';
import { EXCLUSIONS, RECIPIENT_STATUSES, REPORTED_REASONS } from './rules.ts';

/** Example records for the API reference. */
export const exampleDraft = {
  name: 'Black Friday',
  number_id: 'num_01JZ8Y6K3M4N5P6Q7R8S9T0V1W',
  target: 'contacts',
  contact_ids: ['con_01JZ8Y6K3M4N5P6Q7R8S9T0V1X'],
  text: 'Oi {{first_name|tudo bem}}! Hoje tudo pela metade do preço.',
  when: '2027-11-26T09:00',
  pace: 60,
};

export const exampleCampaign = {
  id: 'cmp_01JZ8Y6K3M4N5P6Q7R8S9T0V1Y',
  name: exampleDraft.name,
  status: 'draft',
  number_id: exampleDraft.number_id,
  target: exampleDraft.target,
  segment_id: null,
  contact_ids: exampleDraft.contact_ids,
  group_ids: [],
  text: exampleDraft.text,
  send_at: '2027-11-26T12:00:00.000Z',
  pace: 60,
  started_at: null,
  finished_at: null,
  created_at: '2026-11-20T14:03:11.000Z',
  effective_pace: 60,
  estimated_finish_at: null,
  pause_reason: null,
  waiting_until: null,
  retry_of: null,
  pipeline_id: null,
  stage_ids: [],
};

export const exampleDetail = {
  ...exampleCampaign,
  audience: {
    status: 'estimated',
    total: 1,
    eligible: 1,
    excluded: zeros(EXCLUSIONS),
    frozen_at: null,
  },
  results: {
    ...zeros([...RECIPIENT_STATUSES, 'replied', 'opted_out']),
    pending: 1,
    reasons: zeros(REPORTED_REASONS),
    first_sent_at: null,
    last_sent_at: null,
  },
};

export const exampleRecipient = {
  id: 'rcp_01JZ8Y6K3M4N5P6Q7R8S9T0V1Z',
  contact_id: exampleDraft.contact_ids[0],
  group_id: null,
  phone: '+5511987654321',
  status: 'sent',
  reason: null,
  message_id: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V20',
  attempts: 1,
  claimed_at: '2027-11-26T12:00:01.000Z',
  settled_at: '2027-11-26T12:00:01.210Z',
};

export const examplePreview = {
  audience: { total: 2, eligible: 1, excluded: { ...zeros(EXCLUSIONS), opted_out: 1 } },
  recipients: [
    {
      contact_id: exampleDraft.contact_ids[0],
      group_id: null,
      name: 'Ana Souza',
      phone: '+5511987654321',
      text: 'Oi Ana! Hoje tudo pela metade do preço.',
    },
  ],
  left_out: [
    {
      contact_id: 'con_01JZ8Y6K3M4N5P6Q7R8S9T0V21',
      group_id: null,
      name: 'Bruno Lima',
      phone: '+5511912345678',
      reason: 'opted_out',
    },
  ],
  effective_pace: 60,
  starts_at: '2027-11-26T12:00:00.000Z',
  estimated_finish_at: '2027-11-26T12:00:00.000Z',
  timetable: [
    {
      from: '2027-11-26T12:00:00.000Z',
      to: '2027-11-26T12:00:00.000Z',
      messages: 1,
      after: null,
    },
  ],
  pauses: null,
};

export const exampleTest = {
  message_id: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V22',
  conversation_id: 'cnv_01JZ8Y6K3M4N5P6Q7R8S9T0V23',
  phone: '+5511987654321',
  text: 'Oi Ana! Hoje tudo pela metade do preço.',
};

const audience = {
  campaign_id: exampleCampaign.id,
  total: 2,
  eligible: 1,
  excluded: { ...zeros(EXCLUSIONS), opted_out: 1 },
  frozen_at: '2027-11-26T12:00:00.000Z',
};
const line = {
  recipient_id: exampleRecipient.id,
  outcome: 'sent',
  reason: null,
  message_id: exampleRecipient.message_id,
  settled_at: exampleRecipient.settled_at,
} as const;
const head = nextLink(firstLink(audience), line);

/** A real one: whoever writes a verifier can try it on the reference. */
export const exampleProof = {
  ...audience,
  lines: [{ ...line, hash: head }],
  next_after: null,
  head,
};
