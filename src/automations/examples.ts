const TEAM = 'team_01JZ8Y6K3M4N5P6Q7R8S9T0V1W';

/** Example for the API reference: asks for a yes, and continues with the AI or a person. */
export const exampleDraft = {
  name: 'Orçamento pelo WhatsApp',
  description: null,
  trigger: {
    type: 'message_received',
    number_ids: [],
    match: 'contains_any',
    keywords: ['preço', 'orçamento'],
  },
  entry: {
    conditions: null,
    reentry: 'after_days',
    reentry_days: 7,
    skip_if_handled_by_member: true,
    priority: 0,
  },
  steps: [
    { id: 's1', type: 'send_message', text: 'Oi {{first_name|tudo bem}}! Quer ver?', next: 's2' },
    {
      id: 's2',
      type: 'wait_for_reply',
      timeout: 'P1D',
      save_to: 'custom.answer',
      next: 's3',
      on_timeout: 's9',
    },
    {
      id: 's3',
      type: 'branch',
      cases: [{ when: { field: 'custom.answer', op: 'contains', value: 'sim' }, next: 's4' }],
      else: 's9',
    },
    {
      id: 's4',
      type: 'ai_reply',
      goal: 'Diga o preço e combine uma visita.',
      max_turns: 5,
      next: 's9',
      on_handover: 's5',
    },
    { id: 's5', type: 'handover', team_id: TEAM, member_id: null, note: 'Quer um orçamento.' },
    { id: 's9', type: 'end' },
  ],
};

export const exampleAutomation = {
  id: 'atm_01JZ8Y6K3M4N5P6Q7R8S9T0V1X',
  name: exampleDraft.name,
  status: 'draft',
  created_at: '2026-11-20T14:03:11.000Z',
  updated_at: '2026-11-20T14:03:11.000Z',
  version: 0,
  description: null,
  unpublished_edits: true,
};

export const exampleDetail = {
  ...exampleAutomation,
  issues: [],
  trigger: exampleDraft.trigger,
  entry: exampleDraft.entry,
  steps: exampleDraft.steps,
  runs_dropped: { active_run: 3 },
};

export const exampleRun = {
  id: 'run_01JZ8Y6K3M4N5P6Q7R8S9T0V1Y',
  automation_id: exampleAutomation.id,
  version: 1,
  contact_id: 'con_01JZ8Y6K3M4N5P6Q7R8S9T0V1Z',
  conversation_id: 'cnv_01JZ8Y6K3M4N5P6Q7R8S9T0V20',
  trigger: { type: 'message_received', ref: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V21' },
  status: 'waiting',
  current_step_id: 's2',
  wait_until: '2026-11-21T14:03:12.000Z',
  started_at: '2026-11-20T14:03:11.000Z',
  finished_at: null,
  error: null,
  depth: 0,
  cause_run_id: null,
};

export const exampleRunDetail = {
  ...exampleRun,
  steps: [
    {
      step_id: 's1',
      type: 'send_message',
      status: 'succeeded',
      output: { message_id: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V22' },
      error: null,
      started_at: '2026-11-20T14:03:11.100Z',
      finished_at: '2026-11-20T14:03:11.300Z',
    },
    {
      step_id: 's2',
      type: 'wait_for_reply',
      status: 'waiting',
      output: null,
      error: null,
      started_at: '2026-11-20T14:03:11.300Z',
      finished_at: null,
    },
  ],
};

const firstMessage = {
  at: '2026-11-23T12:00:00.000Z',
  direction: 'inbound',
  type: 'text',
  text: 'Qual o preço?',
  template: null,
  media_id: null,
};

const greeting = {
  ...firstMessage,
  direction: 'outbound',
  text: 'Oi Ana! Quer ver?',
};

/** A person writes and answers five minutes later. */
export const exampleSimulation = {
  request: {
    contact: { name: 'Ana Souza', tags: ['vip'] },
    message: firstMessage.text,
    replies: [{ after: 'PT5M', text: 'não' }],
  },
  response: {
    status: 'succeeded',
    started_at: firstMessage.at,
    finished_at: '2026-11-23T12:05:00.000Z',
    stopped_by: null,
    error: null,
    steps: [
      {
        step_id: 's1',
        type: 'send_message',
        status: 'succeeded',
        started_at: firstMessage.at,
        finished_at: firstMessage.at,
        branch: 'next',
        next_step_id: 's2',
        output: { message_id: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V22' },
        error: null,
        messages: [greeting],
      },
      {
        step_id: 's2',
        type: 'wait_for_reply',
        status: 'succeeded',
        started_at: firstMessage.at,
        finished_at: '2026-11-23T12:05:00.000Z',
        branch: 'next',
        next_step_id: 's3',
        output: { answer: 'não', timed_out: false },
        error: null,
        messages: [],
      },
      {
        step_id: 's3',
        type: 'branch',
        status: 'succeeded',
        started_at: '2026-11-23T12:05:00.000Z',
        finished_at: '2026-11-23T12:05:00.000Z',
        branch: 'else',
        next_step_id: 's9',
        output: null,
        error: null,
        messages: [],
      },
      {
        step_id: 's9',
        type: 'end',
        status: 'succeeded',
        started_at: '2026-11-23T12:05:00.000Z',
        finished_at: '2026-11-23T12:05:00.000Z',
        branch: null,
        next_step_id: null,
        output: null,
        error: null,
        messages: [],
      },
    ],
    conversation: [
      firstMessage,
      greeting,
      { ...firstMessage, at: '2026-11-23T12:05:00.000Z', text: 'não' },
    ],
    unheard_replies: 0,
  },
};
