import { expect, it } from '@jest/globals';
import { errorGuide } from '../../src/http/error-guide/guide.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { everyRoute } from '../support/every-route.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is read here
type Json = any;

const document: Json = JSON.parse(
  JSON.stringify(openApiDocument(everyRoute, 'https://api.example.com')),
);
const operations = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item));

const fieldsOf = (operationId: string): Json => {
  const { requestBody } = operations.find((one) => one.operationId === operationId);
  return requestBody.content['application/json'].schema.properties;
};

const TEXT =
  /window_24h.*24 hours.*`out_of_window`.*\{\{name\}\}.*\{\{first_name\}\}.*\{\{custom\.key\}\}.*\|/;
const REMINDER = {
  text: TEXT,
  weekday: /1 is Monday.*7 Sunday/,
  month_day: /last day/,
  time_zone: /workspace/,
  transactional: /opted out/,
};
const CAMPAIGN = {
  text: TEXT,
  when: /offset.*time zone of the workspace.*5 minutes to 365 days.*`send_campaign`.*ignores/,
  pace: /per minute/,
};
const MEANINGS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  create_reminder: REMINDER,
  update_reminder: REMINDER,
  create_campaign: CAMPAIGN,
  update_campaign: CAMPAIGN,
  schedule_campaign: { when: /offset.*time zone of the workspace.*5 minutes to 365 days/ },
  update_number: { hours: /Monday first.*null.*always/ },
  merge_contacts: { contact_id: /`details\.merged_into`.*conversation.*not found/ },
  create_form: {
    fields: /required.*`phone`.*`personal_link`/,
    automation: /name/,
    personal_link: /links/,
  },
  create_deal: {
    stage_id: /pipeline/,
    contact_id: /one open deal.*409/,
    title: /left out/,
    currency: /BRL/,
    lost_reason: /lost stage/,
  },
  move_deal: { stage_id: /same pipeline/, lost_reason: /correct it/ },
  update_contact: { phone: /empty.*removes/, tags: /[Rr]eplace/, custom: /null removes/ },
};

it.each(
  Object.entries(MEANINGS).flatMap(([operation, fields]) =>
    Object.entries(fields).map(([field, meaning]) => [operation, field, meaning] as const),
  ),
)('%s says what %s means', (operation, field, meaning) => {
  expect(fieldsOf(operation)[field].description).toMatch(meaning);
});

it.each(['send_message', 'send_to_conversation'])('%s says that a group needs more', (name) => {
  const { description } = operations.find((one) => one.operationId === name);

  expect(description).toMatch(/`messages:write`.*group needs the scope `groups:write` as well/);
});

it('a file that is still being fetched is told where it is named, and where it is downloaded', () => {
  const { description } = operations.find((one) => one.operationId === 'download_media');
  const { media } =
    document.components.schemas.MessageReceivedEvent.properties.data.properties.message.properties;

  expect(description).toMatch(/409 `invalid_state`.*`coming`/);
  expect(media.properties.id.description).toMatch(/409 `invalid_state`.*`coming`/);
});

it('says which keys may be missing, and what is refused to keys and to who asks too often', () => {
  expect(document.info.description).toMatch(/always present, unless.*optional, as some of events/);
  expect(errorGuide.oauth_required.when).toMatch(/`transactional`/);
  expect(errorGuide.rate_limited.when).not.toMatch(/number/);
});

it('repeating safely says whose repetition it is, and what holds over all of them', () => {
  const { IdempotencyKey } = document.components.parameters;
  const whose = /the same API key, or connection of an app/;

  expect(IdempotencyKey.description).toMatch(whose);
  expect(document.info.description).toMatch(whose);
  expect(fieldsOf('send_message').client_ref.description).toMatch(/30 days.*whoever/);
});

it.each([
  ['Recipient', 'reason', /`failed`.*`error.reason`.*`skipped`.*`opted_out`.*`duplicate`/],
  ['Campaign', 'send_at', /planned.*`started_at`/],
  ['Contact', 'opt_out_source', /`message`.*`button`.*`whatsapp`.*`member`.*`import`.*`api`/],
])('a %s says what its %s may be', (name, field, values) => {
  expect(document.components.schemas[name].properties[field].description).toMatch(values);
});

it('a field of a form says where an answer may go, and of which type it is then', () => {
  const { save_to, options } = fieldsOf('create_form').fields.items.properties;

  expect(save_to.description).toMatch(
    /`name` takes `text`; .*`birth_date` takes `date`; .*`custom.<key>` takes all but `consent`/,
  );
  expect(options.description).toMatch(/`select` and `multi_select`/);
});

it.each([
  ['list_contacts', 'updated_since', /Messages do not count.*a minute before.*deleted, or merged/],
  ['list_conversations', 'sort', /moves to the front.*no later page/],
  ['list_conversations', 'window', /no such limit/],
  ['list_conversations', 'updated_since', /had a message.*a minute before/],
  ['list_contacts', 'phone', /in any spelling/],
  ['get_numbers_report', 'agent', /id of a member/],
  ['get_numbers_report', 'pipeline', /id of a pipeline/],
])('the filters of %s say what %s means', (operation, name, meaning) => {
  const { parameters } = operations.find((one) => one.operationId === operation);

  expect(parameters.find((each: Json) => each.name === name).description).toMatch(meaning);
});

it('events say what their gaps mean', () => {
  const data = (name: string) => document.components.schemas[`${name}Event`].properties.data;
  const received = data('MessageReceived').properties;
  const moved = data('StageChanged').properties;

  expect(received.message.properties.media.description).toMatch(/caption/);
  expect(received.contact.properties.phone.description).toMatch(/"".*hides.*`wa_user_id`/);
  expect(data('ConversationClosed').properties.first_reply_seconds.description).toMatch(
    /null.*no one/,
  );
  expect(moved.from.description).toMatch(/Null for a new deal/);
  expect(moved.changed_by.properties.id.description).toMatch(/null for the service itself/);
  expect(document.webhooks['stage.changed'].post.summary).toMatch(/or is created in one/);
});

it('answers, too, say which day a number is', () => {
  const { Reminder, Number: number } = document.components.schemas;

  expect(Reminder.properties.weekday.description).toMatch(/1 is Monday/);
  expect(number.properties.hours.description).toMatch(/Monday first/);
});

it('answers say what their words and gaps mean', () => {
  const { FormSubmission, Member, Group, Deal } = document.components.schemas;

  expect(FormSubmission.properties.contact_id.description).toMatch(/deleted/);
  expect(FormSubmission.properties.outcome.description).toMatch(/another contact/);
  expect(Member.properties.visibility.description).toMatch(/teams/);
  expect(Group.properties.left_at.description).toMatch(/null/);
  expect(Deal.properties.status.description).toMatch(/stage/);
});

it('answers say by which words to branch, and what each means', () => {
  const { Message, Conversation, Number: number } = document.components.schemas;
  const { reason, code } = Message.properties.error.anyOf[0].properties;

  expect(reason.description).toMatch(/`media_invalid`: .*file; .*More may be added/);
  expect(code.description).toMatch(/`opted_out`.*`left_group`/);
  expect(Message.properties.type.description).toMatch(/`edit`.*`unsupported`/);
  expect(Message.properties.status.description).toMatch(
    /`failed`: .*late report.*`unconfirmed`.*never sent again.*`cancelled`/,
  );
  expect(document.webhooks['message.sent'].post.summary).toMatch(/may still fail/);
  expect(Message.properties.author.anyOf[0].properties.type.description).toMatch(/`ai`/);
  expect(Conversation.properties.window_expires_at.description).toMatch(/two minutes before/);
  expect(Conversation.properties.can_reply.description).toMatch(/number is down.*an hour/);
  expect(reason.description).toMatch(/`number_unavailable`: .*for an hour/);
  expect(Conversation.properties.waiting_since.description).toMatch(/null/);
  expect(Conversation.properties.snoozed_until.description).toMatch(/always null now/);
  expect(number.properties.status_reason.description).toMatch(/`token_revoked`.*`whatsapp_`/);
});
