/** Example records for the API reference. */
export const exampleNewReminder = {
  title: 'Mensalidade',
  text: 'Oi! A mensalidade vence hoje.',
  target: 'contact',
  contact_id: 'con_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  number_id: 'num_01JD8B6V0R5Q9T3XK2M7N4P1X0',
  repeat: 'monthly',
  month_day: 31,
  time: '09:00',
};

export const exampleReminder = {
  id: 'rem_01JZ8Y6K3M4N5P6Q7R8S9T0V1W',
  title: exampleNewReminder.title,
  text: exampleNewReminder.text,
  target: 'contact',
  contact_id: exampleNewReminder.contact_id,
  group_id: null,
  segment_id: null,
  phone: null,
  number_id: exampleNewReminder.number_id,
  repeat: 'monthly',
  date: null,
  time: '09:00',
  weekday: null,
  month_day: 31,
  time_zone: 'America/Sao_Paulo',
  status: 'active',
  next_run_at: '2026-11-30T12:00:00.000Z',
  created_at: '2026-11-20T14:03:11.000Z',
  ends_on: null,
  transactional: false,
  cancel_reason: null,
};

export const exampleRun = {
  id: 'rrn_01JZ8Y6K3M4N5P6Q7R8S9T0V1X',
  scheduled_for: '2026-11-30T12:00:00.000Z',
  started_at: '2026-11-30T12:00:01.000Z',
  status: 'partial',
  recipients: 3,
  sent: 2,
  failed: 0,
  reasons: { no_recipient: 1 },
  unconfirmed: 0,
  skipped: 1,
  cancelled: 0,
};

export const exampleRunRecipient = {
  contact_id: exampleNewReminder.contact_id,
  group_id: null,
  status: 'sent',
  reason: null,
  message_id: 'msg_01JZ8Y6K3M4N5P6Q7R8S9T0V1Y',
};
