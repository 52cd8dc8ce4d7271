/** Example records for the API document. */
export const example = {
  id: 'cnv_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  status: 'open',
  number_id: 'num_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  contact_id: 'con_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  group_id: null,
  assigned_member_id: null,
  assigned_team_id: null,
  unread: 1,
  created_at: '2026-11-20T12:00:00.000Z',
  last_message_at: '2026-11-20T12:00:00.000Z',
  closed_at: null,
  window_expires_at: '2026-11-21T12:00:00.000Z',
  can_reply: true,
  handled_by: 'none',
  snoozed_until: null,
  waiting_since: '2026-11-20T12:00:00.000Z',
};

export const messageExample = {
  id: 'msg_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  direction: 'inbound',
  text: 'Is the blue one still available?',
  status: 'received',
  source: 'contact',
  media_name: '',
  media_type: '',
  created_at: '2026-11-20T12:00:00.000Z',
  conversation_id: example.id,
  contact_id: example.contact_id,
  type: 'text',
  media_id: null,
  reply_to_id: null,
  client_ref: null,
  author: null,
  campaign_id: null,
  automation_id: null,
  run_id: null,
  reminder_id: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  error: null,
};

export const outgoingExample = {
  ...messageExample,
  direction: 'outbound',
  text: 'Yes, it is. Shall I put it aside?',
  status: 'queued',
  source: 'api',
  author: { type: 'service_account', id: 'sva_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D', name: 'Store' },
};

export const deliveredExample = {
  ...outgoingExample,
  status: 'delivered',
  sent_at: '2026-11-20T12:00:01.000Z',
  delivered_at: '2026-11-20T12:00:02.000Z',
};

export const closedExample = {
  ...example,
  status: 'closed',
  unread: 0,
  closed_at: '2026-11-20T13:00:00.000Z',
  waiting_since: null,
};

export const activityExample = {
  id: 'act_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  type: 'transferred',
  team_id: 'team_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  member_id: null,
  note: '',
  actor: { type: 'service_account', id: 'sva_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D', name: 'Store' },
  created_at: '2026-11-20T12:30:00.000Z',
};
