import type { Context } from '../../context.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { definitions, notice, table } from '../../pages/parts.ts';
import { changeSegment, lockSegment } from '../../segments/changing.ts';
import { storedSegment } from '../../segments/reading.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type Action, type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { asKept, form } from '../parts/form.ts';
import { faultsIn, readJson } from '../parts/json-text.ts';
import { guide } from './guide.ts';
import { rulesText } from './rules-text.ts';
import { SEGMENTS } from './texts.ts';
import { usersOf } from './users.ts';

/** An example of a first segment, valid as it is. */
const EXAMPLE = {
  all: [
    { field: 'tag', op: 'has_any', value: ['VIP'] },
    { field: 'last_inbound_at', op: 'in_last', value: 'P90D' },
  ],
};

interface Kept {
  readonly name: string;
  readonly rules: string;
}

const bodyOf = (page: Page<Context>) => ({
  name: field(page, 'name'),
  rules: readJson(page, 'rules'),
});

const preview: Action = {
  permission: 'contacts.read',
  run: async (page) => {
    const { rules } = bodyOf(page);
    const found = await call<Found>(page, 'preview_segment', { body: { rules } });
    return { answer: foundBy(page, found) };
  },
};

interface Found {
  readonly count: number;
  readonly sample: readonly { id: string; name: string; phone: string; email: string }[];
}

function foundBy({ lang, format }: Page<Context>, { count, sample }: Found): Html {
  const texts = SEGMENTS[lang];
  const rows = sample.map(({ name, phone, email }) => [name, phone, email]);
  const matches = texts.matches(format.number(count));
  return html`${notice(matches, 'plain')}${
    rows.length === 0
      ? null
      : table({ caption: texts.contacts, columns: texts.contactColumns, rows })
  }`;
}

export const newSegmentPage: ConsolePage = {
  path: '/segments/new',
  permission: 'contacts.write',
  view: async (page) => {
    const texts = SEGMENTS[page.lang];
    const kept = { name: '', rules: rulesText(EXAMPLE) };
    return { title: texts.create, content: await writing(page, texts.create, 'create', kept) };
  },
  actions: {
    preview,
    create: {
      permission: 'contacts.write',
      once: true,
      run: async (page): Promise<Done> => {
        const made = await call<{ id: string; count: number }>(page, 'create_segment', {
          body: bodyOf(page),
        });
        const text = SEGMENTS[page.lang].created(page.format.number(made.count));
        return { to: `/segments/${made.id}`, flash: { text } };
      },
    },
  },
};

const valuesOf = ({ name, rules }: { readonly name: string; readonly rules: unknown }): Kept => ({
  name,
  rules: rulesText(rules),
});

const lockedValues =
  (id: string) =>
  async (ctx: Context): Promise<Kept> =>
    valuesOf(await lockSegment(ctx, id));

export const editSegmentPage: ConsolePage = {
  path: '/segments/:id/edit',
  id: 'seg',
  permission: 'contacts.write',
  view: async (page) => {
    const texts = SEGMENTS[page.lang];
    const one = await storedSegment(page.ctx, idOf(page));
    const users = usersOf(page, one);
    const warning =
      users && html`${definitions([[texts.usedBy, users]])}${notice(texts.usedLead, 'plain')}`;
    const kept = valuesOf(one);
    return {
      title: texts.edit,
      content: await writing(page, one.name, 'save', kept, warning),
    };
  },
  actions: {
    preview,
    save: {
      permission: 'contacts.write',
      once: true,
      run: async (page): Promise<Done> => {
        const body = bodyOf(page);
        await asSeen(page, { stored: lockedValues(idOf(page)), for: 'written' }, ({ ctx }) =>
          changeSegment(ctx, idOf(page), body),
        );
        return { to: `/segments/${idOf(page)}`, flash: { text: SEGMENTS[page.lang].saved } };
      },
    },
  },
};

async function writing(
  page: Page,
  title: string,
  action: string,
  kept: Kept,
  warning: Html | null = null,
): Promise<Html> {
  const texts = SEGMENTS[page.lang];
  return html`${crumbs(page, ['/segments', texts.nav])}<h1>${title}</h1>
${warning}${page.answer}${form(
  page,
  action,
  html`${action === 'save' ? seenField(page, kept) : null}${textField({
    ...asKept(page, kept, 'name'),
    label: texts.name,
    maxLength: 80,
  })}
${areaField({
  ...asKept(page, kept, 'rules'),
  label: texts.rules,
  hint: texts.rulesHint,
  error: faultsIn(page, 'rules'),
  rows: 16,
  code: true,
})}
<div class="actions"><button>${texts.save}</button><button class="quiet" name="action" value="preview" formnovalidate>${texts.preview}</button></div>`,
)}
${await guide(page)}`;
}
