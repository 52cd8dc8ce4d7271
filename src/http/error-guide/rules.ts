import type { ErrorCode } from '../../errors.ts';
import type { ErrorAdvice } from './advice.ts';
import type { commonGuide } from './common.ts';

type RuleCode = Exclude<ErrorCode, keyof typeof commonGuide>;

const CONTACT = 'con_01KAH8Y3V8Q2M4N6P8R0S2T4V6';

/** These are lifted elsewhere, and then the same request is made again. */
const NEW_KEY =
  '; with an Idempotency-Key, call again with a new one, for this answer is repeated for 24 hours';

/** An id in a body that refers to nothing the caller can see. */
const unknown = (noun: string, field: string, id: string, list: string): ErrorAdvice => ({
  meaning: `The ${noun} that the request names does not exist.`,
  when: `\`${field}\` names one that was deleted, belongs to another workspace, or is not visible to the person. Nothing was changed.`,
  remedy: `Take the id from ${list}.`,
  message: `There is no such ${noun}.`,
  details: { [field]: id },
});

/** Codes of the resources' own rules. */
export const ruleGuide: Readonly<Record<RuleCode, ErrorAdvice>> = {
  conflict: {
    meaning: 'The record was changed, or is used by something else, at the same moment.',
    when: 'Two calls changed the same record at once, or the record is still referred to.',
    remedy: `Read the record again and repeat the change if it is still wanted${NEW_KEY}.`,
    message: 'This collides with a record that exists or is still used.',
  },
  duplicate: {
    meaning: 'Another record has this value already.',
    when: 'A value that must be unique in a workspace, such as the phone of a contact, is taken. `details` names its holder.',
    remedy: 'Change the record that exists, or merge the two, instead of creating a second one.',
    message: 'Another contact has this phone.',
    details: { contact_id: CONTACT },
  },
  in_use: {
    meaning: 'The record cannot be deleted while something uses it.',
    when: 'The call deletes a record that others refer to, such as a segment of a scheduled campaign.',
    remedy: `End or change what \`details\` names first${NEW_KEY}.`,
    message: 'Campaigns, reminders or automations still use this segment.',
    details: { used_by: { campaigns: 1, reminders: 0, automations: 0 } },
  },
  invalid_state: {
    meaning: 'The record is in a state that does not allow this.',
    when: 'The step is not possible from the current state, such as sending a campaign that is done. `details.status` is the state, `details.allowed` lists the states from which the step is possible.',
    remedy: `Read the record and decide by its \`status\`${NEW_KEY}.`,
    message: 'This is not possible while the status is done.',
    details: { status: 'done', allowed: ['draft'] },
  },
  last_owner: {
    meaning: 'A workspace keeps at least one owner who can sign in.',
    when: 'The only owner would leave or get another role, or the only one beside those who are still invited.',
    remedy: 'Make another member an owner first.',
    message: 'A workspace keeps at least one Owner who can sign in. Make someone else one first.',
  },
  quota: {
    meaning: 'The plan of the workspace does not allow more.',
    when: 'A maximum of the plan is reached, for example of webhook endpoints, contacts or recipients; or what may be uploaded within 24 hours (`details.unit` is `bytes`).',
    remedy: `Remove what is not needed, or ask whoever operates the service for a larger plan${NEW_KEY}. \`details\` has the limit and what is used.`,
    message: 'The plan essencial allows 2; 2 are in use.',
    details: { limit: 2, used: 2, plan: 'essencial' },
  },
  form_without_identity: {
    meaning: 'The form would not tell who filled it in.',
    when: 'No required field saves to the phone, so submissions could not be matched to contacts.',
    remedy:
      'Add a required field with `save_to: "phone"`, or open the form by personal links alone: `personal_link: true`.',
    message:
      'A form must know who answers: add a required phone field that saves to phone, or set personal_link to true.',
    details: { path: 'fields' },
  },
  invalid_definition: {
    meaning: 'The draft of an automation has errors.',
    when: 'The call activates an automation whose steps lead nowhere or refer to something that does not exist.',
    remedy: 'Correct what `details.issues` lists; each names its place in the definition.',
    message:
      'One issue keeps the automation from being activated. steps[2].next: There is no step thanks.',
    details: {
      issues: [
        {
          severity: 'error',
          path: 'steps[2].next',
          step_id: 'ask',
          code: 'unknown_reference',
          message: 'There is no step thanks.',
        },
      ],
    },
  },
  member_not_in_team: {
    meaning: 'The member does not belong to the team.',
    when: 'A conversation is transferred to a team together with a member of another one, a Viewer, or somebody who is suspended or has not joined yet.',
    remedy:
      'Choose one of the `member_ids` of the team who has a seat and is `active` (`GET /v1/members`), or leave the member out.',
    message: 'The team has no such member.',
    details: {
      team_id: 'team_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
      member_id: 'mem_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    },
  },
  opted_out: {
    meaning: 'The person opted out of messages.',
    when: 'A message goes to a contact whose `opted_out` is true.',
    remedy: 'Do not send. Only the person can opt in again, or a member with a written reason.',
    message: 'The contact wants no messages. Only the person can change that.',
    details: { contact_id: CONTACT },
  },
  out_of_window: {
    meaning: 'WhatsApp allows free text only within 24 hours of the last message of the person.',
    when: 'A text or file is sent outside the window of a number that has one, or in its last two minutes, when it might arrive too late. Nothing was queued.',
    remedy: 'Send an approved template, or wait until the person writes.',
    message: 'The 24-hour window is closed: only an approved template may be sent now.',
    details: { window_expires_at: null },
  },
  pace_not_allowed: {
    meaning: 'This number, target or plan does not allow this pace.',
    when: '`pace` is higher than the number, the kind of target or the plan permits.',
    remedy: 'Choose one of `details.allowed`.',
    message:
      '600 messages a minute are more than the number, the target or the plan essencial allows: at most 60.',
    details: { allowed: [10, 60], plan: 'essencial' },
  },
  segment_too_heavy: {
    meaning: 'The rules of the segment take too long to evaluate.',
    when: 'Finding the people of a segment took longer than its limit.',
    remedy: 'Use fewer or narrower conditions.',
    message: 'These rules take longer than 5 seconds. Use fewer or simpler conditions.',
    details: { limit_ms: 5000 },
  },
  team_not_in_number: {
    meaning: 'The default team of a number must be one of its teams.',
    when: 'After the change `default_team_id` would not be in `team_ids`.',
    remedy: 'Send both fields together, the team in both.',
    message: "The default team must be one of the number's teams.",
    details: { default_team_id: 'team_01KAH8Y3V8Q2M4N6P8R0S2T4V6' },
  },
  unknown_automation: unknown('automation', 'automation', 'Boas-vindas', '`GET /v1/automations`'),
  unknown_contact: unknown(
    'contact',
    'contact_id',
    CONTACT,
    '`GET /v1/contacts`. If it was merged into another contact, `details.merged_into` names that one (for `contact_ids`, that of each id), if the token may read contacts',
  ),
  unknown_conversation: unknown(
    'conversation',
    'conversation_id',
    'cnv_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    '`GET /v1/conversations`',
  ),
  unknown_group: unknown('group', 'group_id', 'grp_01KAH8Y3V8Q2M4N6P8R0S2T4V6', '`GET /v1/groups`'),
  unknown_media: unknown(
    'file',
    'media_id',
    'med_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    'the answer of `POST /v1/media`',
  ),
  unknown_number: unknown(
    'number',
    'number_id',
    'num_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    '`GET /v1/numbers`',
  ),
  unknown_member: unknown(
    'member',
    'owner_id',
    'mem_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    '`GET /v1/members`',
  ),
  unknown_segment: unknown(
    'segment',
    'segment_id',
    'seg_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    '`GET /v1/segments`',
  ),
  unknown_stage: unknown(
    'stage',
    'stage_id',
    'stg_01KAH8Y3V8Q2M4N6P8R0S2T4V6',
    'the `stages` of `GET /v1/pipelines`',
  ),
  unknown_team: unknown('team', 'team_id', 'team_01KAH8Y3V8Q2M4N6P8R0S2T4V6', '`GET /v1/teams`'),
};
