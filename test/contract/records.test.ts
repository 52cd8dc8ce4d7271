import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { everyRoute } from '../support/every-route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
type Json = any;

const document: Json = openApiDocument(everyRoute, 'http://api.test');

const at = (ref: string): Json =>
  ref
    .slice(2)
    .split('/')
    .reduce((value: Json, part) => value?.[part], document);

/** A schema in the words of the specification: `string|null`, `date-time`, `open closed`, `[string]`, `{day: date}`. */
function said(schema: Json): string {
  if (schema.$ref) return said(at(schema.$ref));
  if (schema.anyOf) return schema.anyOf.map(said).join('|');
  if (schema.enum) return schema.enum.join(' ');
  if (Array.isArray(schema.type)) return schema.type.join('|');
  if (schema.type === 'array') return `[${said(schema.items)}]`;
  if (schema.properties) return `{${fieldsOf(schema).join(', ')}}`;
  return schema.format?.startsWith('date') ? schema.format : schema.type;
}

const fieldsOf = (schema: Json): string[] =>
  Object.entries(schema.properties).map(([name, field]) => `${name}: ${said(field)}`);

const frame = [
  'workspace: string',
  'range: {from: date, to: date, days: integer, previous: {from: date, to: date}}',
  'now: date-time',
  'time_zone: string',
];

const EVENTS =
  'message.received message.sent conversation.closed contact.created stage.changed automation.failed';

/**
 * The specification's fields of each record, in its order (Resources and their fields). A value set that it leaves
 * open is the design decisions' (§1, §2, §3, §5); `left_at` and `disconnected_at` are null where there is none (§0).
 */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  Reminder: [
    ...['id: string', 'title: string', 'text: string'],
    'target: contact group segment phone birthday',
    ...['contact_id: string|null', 'group_id: string|null', 'segment_id: string|null'],
    ...['phone: string|null', 'number_id: string'],
    'repeat: once daily weekdays weekly monthly yearly',
    ...['date: date|null', 'time: string', 'weekday: integer|null', 'month_day: integer|null'],
    ...['time_zone: string', 'status: active done cancelled'],
    ...['next_run_at: date-time|null', 'created_at: date-time'],
  ],
  FormSubmission: [
    ...['id: string', 'contact_id: string', 'answers: object'],
    'outcome: contact_created contact_updated contact_unchanged contact_conflict',
    'created_at: date-time',
  ],
  Number: [
    ...['id: string', 'name: string', 'phone: string|null'],
    'status: provisioning awaiting_pairing connected degraded disconnected suspended error',
    ...['default_team_id: string|null', 'created_at: date-time', 'team_ids: [string]'],
    ...['stage_id: string|null', 'hours: [{open: boolean, from: string, to: string}]|null'],
  ],
  Campaign: [
    ...['id: string', 'name: string'],
    'status: draft scheduled sending paused done cancelled',
    ...['number_id: string|null', 'target: segment contacts groups pipeline'],
    ...['segment_id: string|null', 'contact_ids: [string]', 'group_ids: [string]', 'text: string'],
    ...['send_at: date-time|null', 'pace: integer', 'started_at: date-time|null'],
    ...['finished_at: date-time|null', 'created_at: date-time'],
  ],
  Conversation: [
    ...['id: string', 'status: open closed', 'number_id: string', 'contact_id: string|null'],
    ...['group_id: string|null', 'assigned_member_id: string|null'],
    ...['assigned_team_id: string|null', 'unread: integer', 'created_at: date-time'],
  ],
  Message: [
    ...['id: string', 'direction: inbound outbound', 'text: string'],
    'status: received queued sending unconfirmed sent delivered read failed cancelled',
    'source: contact member automation campaign reminder api system phone',
    ...['media_name: string', 'media_type: string', 'created_at: date-time'],
  ],
  Group: [
    ...['id: string', 'name: string', 'description: string', 'members: integer'],
    ...['number_id: string', 'conversation_id: string', 'left_at: date-time|null'],
    'created_at: date-time',
  ],
  Pipeline: [
    ...['id: string', 'name: string', 'created_at: date-time'],
    'stages: [{id: string, name: string, kind: open won lost, position: integer}]',
  ],
  Automation: [
    ...['id: string', 'name: string', 'status: draft active inactive'],
    ...['created_at: date-time', 'updated_at: date-time'],
  ],
  SegmentContact: [
    ...['id: string', 'name: string', 'phone: string', 'email: string'],
    ...['opted_out: boolean', 'created_at: date-time'],
  ],
  Team: ['id: string', 'name: string', 'member_ids: [string]', 'created_at: date-time'],
  WebhookEndpoint: [
    ...['id: string', 'name: string', 'url: string', `events: [${EVENTS}]`],
    'created_at: date-time',
  ],
  AutomationReport: [
    ...frame,
    ...['count: integer', 'without_agent: integer', 'ai_replies: integer', 'handed_over: integer'],
    'ai_seconds: number|null',
    'saved: {minutes: number, per_message: number, measured: boolean}',
    'days: [{day: date, automated: integer, team: integer}]',
    'automations: [{id: string, name: string, runs: integer, succeeded: integer, failed: integer, done: integer}]',
    'questions: [{text: string, count: integer}]',
  ],
  NumbersReport: [
    ...frame,
    ...['attempted: integer', 'delivered: integer', 'lost: integer'],
    'reasons: {no_whatsapp: integer, no_recipient: integer, throttled: integer, out_of_window: integer}',
    'numbers: [{id: string, name: string, status: provisioning awaiting_pairing connected degraded disconnected suspended error, disconnected_at: date-time|null, attempted: integer, delivered: integer, days: [integer]}]',
    'days: [date]',
  ],
};

describe('the records of the specification', () => {
  it.each(Object.keys(RECORDS))(
    '%s has the specification’s fields first, each of its type, and every field is always there',
    (name) => {
      const schema = document.components.schemas[name];

      expect(fieldsOf(schema).slice(0, RECORDS[name]?.length)).toEqual(RECORDS[name]);
      expect(schema.required).toEqual(Object.keys(schema.properties));
    },
  );
});

/** What the specification's table says comes back: a record, a page of one, or a few fields. */
const ANSWERS: readonly [string, number, string][] = [
  ['GET /v1/reminders', 200, 'page of Reminder'],
  ['DELETE /v1/reminders/{id}', 200, 'Reminder'],
  ['POST /v1/forms', 201, '{id: string}'],
  ['GET /v1/forms/{id}/submissions', 200, 'page of FormSubmission'],
  ['GET /v1/reports/automation', 200, 'AutomationReport'],
  ['GET /v1/reports/numbers', 200, 'NumbersReport'],
  ['PATCH /v1/numbers/{id}', 200, 'Number'],
  ['POST /v1/campaigns', 201, 'Campaign'],
  ['GET /v1/campaigns/{id}', 200, 'CampaignDetail'],
  ['POST /v1/campaigns/{id}/send', 200, 'Campaign'],
  ['POST /v1/conversations/{id}/transfer', 200, 'Conversation'],
  ['POST /v1/conversations/{id}/reopen', 200, 'Conversation'],
  ['GET /v1/conversations/{id}/messages', 200, 'page of Message'],
  ['GET /v1/conversations', 200, 'page of Conversation'],
  ['GET /v1/groups', 200, 'page of Group'],
  ['GET /v1/pipelines', 200, 'page of Pipeline'],
  ['POST /v1/automations/{id}/activate', 200, 'AutomationDetail'],
  ['POST /v1/automations/{id}/deactivate', 200, 'AutomationDetail'],
  ['GET /v1/segments/{id}/contacts', 200, 'page of SegmentContact'],
  ['GET /v1/teams', 200, 'page of Team'],
  ['PATCH /v1/contacts/{id}', 200, '{id: string}'],
  ['GET /v1/webhooks', 200, 'page of WebhookEndpoint'],
  ['POST /v1/webhooks', 201, '{id: string, secret: string}'],
  ['DELETE /v1/webhooks/{id}', 200, '{id: string, deleted: boolean}'],
];

const nameIn = (schema: Json): string => schema.$ref?.split('/').at(-1) ?? said(schema);

function answered(schema: Json): string {
  const { data, next_cursor } = schema.properties ?? {};
  if (!data) return nameIn(schema).startsWith('Created') ? said(schema) : nameIn(schema);
  expect(said(next_cursor)).toBe('string|null');
  return `page of ${nameIn(data.items)}`;
}

describe('the endpoints of the specification', () => {
  it.each(ANSWERS)('%s answers %i with %s', (name, status, expected) => {
    const [method = '', path = ''] = name.split(' ');
    const { responses } = document.paths[path][method.toLowerCase()];

    const { schema } = responses[status].content['application/json'];
    expect(answered(schema)).toBe(expected);
  });

  it.each(['CampaignDetail', 'AutomationDetail'])('%s begins as its record does', (detail) => {
    const record = fieldsOf(document.components.schemas[detail.replace('Detail', '')]);

    expect(fieldsOf(document.components.schemas[detail]).slice(0, record.length)).toEqual(record);
  });
});
