import { tagKey } from '../../../contacts/rules.ts';
import type { Definition } from '../../definition/language.ts';

type Trigger = Definition['trigger'];

/** What triggers ask about a happening; null where it says nothing. */
export interface Facts {
  readonly type: string;
  readonly numberId: string | null;
  /** For a message. */
  readonly text: string;
  /** Whether the person had never written to this number before. */
  readonly isFirst: boolean;
  /** Whether it created or reopened the conversation. */
  readonly opened: boolean;
  readonly campaignId: string | null;
  readonly createdVia: string | null;
  readonly tags: readonly string[];
  readonly fields: readonly { readonly field: string; readonly to: unknown }[];
  readonly pipelineId: string | null;
  readonly stageId: string | null;
  readonly formId: string | null;
}

/** Whether an automation with this trigger listens for what happened. The clock's never do, nor what a person starts. */
export function matches(trigger: Trigger, facts: Facts): boolean {
  const isMessage = facts.type === 'message_received';
  switch (trigger.type) {
    case 'message_received':
      return isMessage && named(trigger.number_ids, facts.numberId) && says(trigger, facts.text);
    case 'first_message':
      return isMessage && facts.isFirst && named(trigger.number_ids, facts.numberId);
    case 'campaign_replied':
      return (
        isMessage && facts.campaignId !== null && named(trigger.campaign_ids, facts.campaignId)
      );
    case 'conversation_opened':
      return (
        (facts.type === trigger.type || (isMessage && facts.opened)) &&
        named(trigger.number_ids, facts.numberId)
      );
    default:
      return facts.type === trigger.type && matchesChange(trigger, facts);
  }
}

type OfMessages = 'message_received' | 'first_message' | 'campaign_replied' | 'conversation_opened';
type OfChanges = Exclude<Trigger, { type: OfMessages }>;

function matchesChange(trigger: OfChanges, facts: Facts): boolean {
  switch (trigger.type) {
    case 'conversation_closed':
      return named(trigger.number_ids, facts.numberId);
    case 'contact_created':
      return named(trigger.created_via, facts.createdVia);
    case 'tag_added':
      return facts.tags.some((tag) => trigger.tags.some((own) => tagKey(own) === tagKey(tag)));
    case 'field_changed':
      return facts.fields.some(
        ({ field, to }) => field === trigger.field && (trigger.to === null || same(trigger.to, to)),
      );
    case 'stage_changed':
      return (
        (trigger.pipeline_id === null || trigger.pipeline_id === facts.pipelineId) &&
        named(trigger.stage_ids, facts.stageId)
      );
    case 'form_submitted':
      return named(trigger.form_ids, facts.formId);
    case 'no_reply':
    case 'segment_entered':
    case 'segment_left':
    case 'date_field':
    case 'schedule':
    case 'manual':
      return false;
  }
}

/** An empty list stands for everything. */
const named = (ids: readonly string[], id: string | null): boolean =>
  ids.length === 0 || (id !== null && ids.includes(id));

const caseless = (text: string): string => text.toLowerCase();

/** Columns of a file are texts, so `5` and `"5"` are the same value; a cleared field is the empty text. */
const same = (wanted: unknown, value: unknown): boolean =>
  caseless(String(wanted)) === caseless(String(value ?? ''));

/**
 * Accents and points, which people leave out. In other scripts marks are vowels and tones: another one is another word.
 */
const LEFT_OUT =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]/gu;

const asHeard = (text: string): string =>
  text.normalize('NFKD').replace(LEFT_OUT, '').toLowerCase().trim();

/** Its words; a text without letters, such as an emoji, is compared as it is. */
const plain = (text: string): string => {
  const heard = asHeard(text);
  return heard.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim() || heard;
};

function says(
  { match, keywords }: Extract<Trigger, { type: 'message_received' }>,
  text: string,
): boolean {
  if (match === 'any') return true;
  const said = plain(text);
  // Blank keywords are refused now, but may be stored; every text would contain them.
  const wanted = keywords.map(plain).filter(Boolean);
  if (wanted.length === 0) return false;
  const whole = asHeard(text);
  const contains = (keyword: string): boolean =>
    isWords(keyword) ? ` ${said} `.includes(edged(keyword)) : whole.includes(keyword);
  const begins = (keyword: string): boolean =>
    isWords(keyword)
      ? `${said} `.startsWith(edged(keyword).trimStart())
      : whole.startsWith(keyword);
  switch (match) {
    case 'equals':
      return wanted.includes(said);
    case 'starts_with':
      return wanted.some(begins);
    case 'contains_any':
      return wanted.some(contains);
    case 'contains_all':
      return wanted.every(contains);
  }
}

/** Of scripts that set no blanks between words. */
const RUN_ON = `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')}]`;
const NO_EDGE = new RegExp(`^ (?=${RUN_ON})|(?<=${RUN_ON}) $`, 'gu');

/** Whole words: "preços" does not contain "preço", nor start with it. Where words run on, any part may be one. */
const edged = (keyword: string): string => ` ${keyword} `.replace(NO_EDGE, '');

const isWords = (keyword: string): boolean => /[\p{L}\p{N}]/u.test(keyword);
