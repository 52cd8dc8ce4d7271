import {
  addPhrase,
  type Effect,
  listPhrases,
  type Phrase,
  removePhrase,
} from '../../contacts/opt-outs/phrases.ts';
import { hidden, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { table } from '../../pages/parts.ts';
import { type Action, type ConsolePage, field, type Page, wasRefused } from '../page.ts';
import { form } from '../parts/form.ts';
import { PHRASES } from './phrase-texts.ts';

const PATH = '/settings/opt-out-phrases';
const EFFECTS = ['out', 'in'] as const satisfies readonly Effect[];

const add: Action = {
  permission: 'members.manage',
  run: async (page) => {
    const effect = EFFECTS.find((each) => each === field(page, 'effect')) ?? 'out';
    const { phrase } = await addPhrase(page.ctx, field(page, 'phrase'), effect);
    return { to: PATH, flash: { text: PHRASES[page.lang].added(phrase) } };
  },
};

const remove: Action = {
  permission: 'members.manage',
  run: async (page) => {
    const { phrase } = await removePhrase(page.ctx, field(page, 'phrase'));
    return { to: PATH, flash: { text: PHRASES[page.lang].removed(phrase) } };
  },
};

/** The whole messages by which people opt out and in. */
export const phrasesPage: ConsolePage = {
  path: PATH,
  permission: 'members.manage',
  actions: { add, remove },
  view: async (page) => {
    const texts = PHRASES[page.lang];
    const phrases = await listPhrases(page.ctx);
    return {
      title: texts.title,
      content: html`<h1>${texts.title}</h1><p class="soft">${texts.lead}</p>
${table({ caption: texts.title, columns: texts.columns, rows: phrases.map((phrase) => rowOf(page, phrase)) })}
${adding(page)}`,
    };
  },
};

function rowOf(page: Page, { phrase, effect, own }: Phrase): (Html | string | null)[] {
  const texts = PHRASES[page.lang];
  const removing = html`${hidden('phrase', phrase)}<button class="quiet">${texts.remove}<code class="unseen"> ${phrase}</code></button>`;
  return [
    html`<code>${phrase}</code>`,
    texts.effects[effect],
    own ? texts.own : texts.common,
    effect === 'none' ? null : form(page, 'remove', removing),
  ];
}

function adding(page: Page): Html {
  const texts = PHRASES[page.lang];
  const sent = wasRefused(page, 'add');
  const phrase = {
    name: 'phrase',
    label: texts.phrase,
    hint: texts.hint,
    value: sent ? field(page, 'phrase') : '',
    error: page.problems.get('phrase'),
    required: true,
  };
  const effect = {
    name: 'effect',
    label: texts.effect,
    value: sent ? field(page, 'effect') : 'out',
    options: EFFECTS.map((value) => ({ value, label: texts.effects[value] })),
  };
  return html`<section class="card"><h2>${texts.add}</h2>${form(
    page,
    'add',
    html`${textField(phrase)}${selectField(effect)}<button>${texts.add}</button>`,
  )}</section>`;
}
