import { describe, expect, it } from '@jest/globals';
import { trigger } from '../../../src/automations/definition/triggers.ts';
import { type Facts, matches } from '../../../src/automations/running/listening/matching.ts';

const NOTHING: Facts = {
  type: 'message_received',
  numberId: 'num_1',
  text: '',
  isFirst: false,
  opened: false,
  campaignId: null,
  createdVia: null,
  tags: [],
  fields: [],
  pipelineId: null,
  stageId: null,
  formId: null,
};

const hears = (match: string, keywords: readonly string[], text: string): boolean =>
  matches(trigger.parse({ type: 'message_received', match, keywords }), { ...NOTHING, text });

describe('keywords', () => {
  it.each([
    ['contains_any', ['preço'], 'Qual o PRECO?', true],
    ['contains_any', ['preço'], 'Quais os preços?', false],
    ['contains_any', ['bom dia', 'boa tarde'], 'Olá, boa  tarde!', true],
    ['contains_any', ['tarde boa'], 'boa tarde', false],
    ['contains_any', ['👍'], 'ok👍', true],
    ['contains_any', ['👍'], 'ok', false],
    ['contains_any', [' '], 'Olá', false],
    ['contains_all', [' '], 'Olá', false],
    ['contains_all', [' ', 'oi'], 'oi', true],
    ['starts_with', [' '], 'Olá', false],
    ['contains_all', ['preço', 'bolo'], 'Preço do bolo', true],
    ['contains_all', ['preço', 'torta'], 'Preço do bolo', false],
    ['equals', ['oi'], ' Oi! ', true],
    ['equals', ['oi'], 'oi tudo bem', false],
    ['starts_with', ['quero'], 'Quero dois', true],
    ['starts_with', ['quero'], 'eu quero', false],
    ['starts_with', ['oi'], 'Oitenta bolos', false],
    ['starts_with', ['oi'], 'Oi!', true],
    ['starts_with', ['👍'], ' 👍 quero', true],
    ['starts_with', ['👍'], 'quero 👍', false],
    ['contains_any', ['❤'], 'amei ❤️', true],
    ['equals', ['❤️'], '❤', true],
    ['equals', ['سلام'], 'سَلَام', true],
    ['equals', ['ががく'], 'かかく', false],
    ['equals', ['की'], 'का', false],
    ['contains_any', ['ซื้อ'], 'อยากซื้อขนม', true],
    ['contains_any', ['ซื้อ'], 'อยู่ซอย 5', false],
    ['contains_any', ['มี'], 'ขอบคุณมาก', false],
    ['starts_with', ['你好'], '你好吗', true],
    ['starts_with', ['コーヒー'], 'コーヒーをください', true],
    ['starts_with', ['สวัสดี'], 'สวัสดีครับ', true],
    ['starts_with', ['你好'], '我说你好', false],
    ['starts_with', ['oi 你好'], 'Oi, 你好吗', true],
    ['contains_any', ['价格'], '请问价格多少', true],
    ['contains_any', ['preço 价格'], '(apreço 价格)', false],
  ])('of %s %j in "%s" match: %s', (match, keywords, text, expected) => {
    expect(hears(match, keywords, text)).toBe(expected);
  });
});

const CASES: readonly [string, object, Partial<Facts>, boolean][] = [
  ['any message', { type: 'message_received' }, {}, true],
  ['another number', { type: 'message_received', number_ids: ['num_2'] }, {}, false],
  ['a first message', { type: 'first_message' }, { isFirst: true }, true],
  ['a later message', { type: 'first_message' }, {}, false],
  ['a message that opened', { type: 'conversation_opened' }, { opened: true }, true],
  ['a message in an open one', { type: 'conversation_opened' }, {}, false],
  [
    'an opening by hand',
    { type: 'conversation_opened', number_ids: ['num_1'] },
    { type: 'conversation_opened' },
    true,
  ],
  ['a closing', { type: 'conversation_closed' }, { type: 'conversation_closed' }, true],
  [
    'an answer to the campaign',
    { type: 'campaign_replied', campaign_ids: ['cmp_1'] },
    { campaignId: 'cmp_1' },
    true,
  ],
  ['a message that answers none', { type: 'campaign_replied' }, {}, false],
  [
    'a contact of a file',
    { type: 'contact_created', created_via: ['import'] },
    { type: 'contact_created', createdVia: 'import' },
    true,
  ],
  [
    'a contact of a form',
    { type: 'contact_created', created_via: ['import'] },
    { type: 'contact_created', createdVia: 'form' },
    false,
  ],
  [
    'the tag in another case',
    { type: 'tag_added', tags: ['VIP'] },
    { type: 'tag_added', tags: ['novo', 'vip'] },
    true,
  ],
  [
    'another tag',
    { type: 'tag_added', tags: ['VIP'] },
    { type: 'tag_added', tags: ['novo'] },
    false,
  ],
  [
    'a field to the value',
    { type: 'field_changed', field: 'custom.size', to: 5 },
    { type: 'field_changed', fields: [{ field: 'custom.size', to: '5' }] },
    true,
  ],
  [
    'a field to another value',
    { type: 'field_changed', field: 'custom.size', to: 5 },
    { type: 'field_changed', fields: [{ field: 'custom.size', to: '6' }] },
    false,
  ],
  [
    'a tag composed in another way',
    { type: 'tag_added', tags: ['Cafe\u0301'] },
    { type: 'tag_added', tags: ['caf\u00e9'] },
    true,
  ],
  [
    'a field to anything',
    { type: 'field_changed', field: 'email' },
    { type: 'field_changed', fields: [{ field: 'email', to: null }] },
    true,
  ],
  [
    'the stage',
    { type: 'stage_changed', pipeline_id: 'pip_1', stage_ids: ['stg_1'] },
    { type: 'stage_changed', pipelineId: 'pip_1', stageId: 'stg_1' },
    true,
  ],
  [
    'another pipeline',
    { type: 'stage_changed', pipeline_id: 'pip_1' },
    { type: 'stage_changed', pipelineId: 'pip_2', stageId: 'stg_1' },
    false,
  ],
  [
    'the form',
    { type: 'form_submitted', form_ids: ['frm_1'] },
    { type: 'form_submitted', formId: 'frm_1' },
    true,
  ],
  ['nothing, by hand only', { type: 'manual' }, { type: 'message_received' }, false],
];

describe('a trigger', () => {
  it.each(CASES)('meets %s', (_, wanted, facts, expected) => {
    expect(matches(trigger.parse(wanted), { ...NOTHING, ...facts })).toBe(expected);
  });
});
