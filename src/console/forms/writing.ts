import type { Context } from '../../context.ts';
import { FIELD_TYPES, fittingTypes } from '../../forms/rules.ts';
import { getForm, requireLocked } from '../../forms/service.ts';
import { areaField, checkbox, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { codes, disclosure, table } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { asKept, form } from '../parts/form.ts';
import { faultsIn, jsonText, readJson } from '../parts/json-text.ts';
import { FORMS } from './texts.ts';

type Form = Awaited<ReturnType<typeof getForm>>;

type Name = 'title' | 'description' | 'fields' | 'thanks' | 'tag' | 'automation';

type Values = Readonly<Record<Name | 'personal_link', string>>;

/** An example that can be published as it is: the phone tells who answers. */
const exampleIn = ({ lang }: Page) => [
  {
    type: 'text',
    label: FORMS[lang].exampleName,
    required: true,
    save_to: 'name',
    options: [],
  },
  { type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone', options: [] },
];

const EMPTY: Values = {
  title: '',
  description: '',
  fields: '',
  thanks: '',
  tag: '',
  automation: '',
  personal_link: '',
};

function bodyOf(page: Page<Context>): Record<string, unknown> {
  const given = (name: keyof Values): string | null => field(page, name).trim() || null;
  return {
    title: field(page, 'title'),
    description: given('description'),
    fields: readJson(page, 'fields'),
    thanks: given('thanks'),
    tag: given('tag'),
    automation: given('automation'),
    personal_link: field(page, 'personal_link') === 'yes',
  };
}

const valuesOf = (one: Form): Values => ({
  title: one.title,
  description: one.description ?? '',
  fields: jsonText(one.fields),
  thanks: one.thanks ?? '',
  tag: one.tag ?? '',
  automation: one.automation ?? '',
  personal_link: one.personal_link ? 'yes' : '',
});

const lockedValues =
  (page: Page<Context>) =>
  async (ctx: Context): Promise<Values> => {
    await requireLocked(ctx, idOf(page));
    return valuesOf(await getForm(ctx, idOf(page), page.parts.baseUrl));
  };

/** Where the form names an automation that does not exist. */
const UNKNOWN = { unknown_automation: 'automation' };

export const newFormPage: ConsolePage = {
  path: '/forms/new',
  permission: 'forms.write',
  view: async (page) => {
    const texts = FORMS[page.lang];
    const kept = { ...EMPTY, fields: jsonText(exampleIn(page)) };
    return { title: texts.create, content: writing(page, texts.create, 'create', kept) };
  },
  actions: {
    create: {
      permission: 'forms.write',
      once: true,
      problemsAt: UNKNOWN,
      run: async (page): Promise<Done> => {
        const { id } = await call<{ id: string }>(page, 'create_form', { body: bodyOf(page) });
        return { to: `/forms/${id}`, flash: { text: FORMS[page.lang].created } };
      },
    },
  },
};

export const editFormPage: ConsolePage = {
  path: '/forms/:id/edit',
  id: 'frm',
  permission: 'forms.write',
  view: async (page) => {
    const one = await getForm(page.ctx, idOf(page), page.parts.baseUrl);
    const content = writing(page, one.title, 'save', valuesOf(one));
    return { title: FORMS[page.lang].edit, content };
  },
  actions: {
    save: {
      permission: 'forms.write',
      once: true,
      problemsAt: UNKNOWN,
      run: async (page): Promise<Done> => {
        const body = bodyOf(page);
        await asSeen(page, { stored: lockedValues(page), for: 'written' }, (seen) =>
          call(seen, 'update_form', { id: idOf(page), body }),
        );
        return { to: `/forms/${idOf(page)}`, flash: { text: FORMS[page.lang].saved } };
      },
    },
  },
};

function writing(page: Page, title: string, action: string, kept: Values): Html {
  const texts = FORMS[page.lang];
  const about = (name: Name) => ({ ...asKept(page, kept, name), label: texts[name] });
  return html`${crumbs(page, ['/forms', texts.nav])}<h1>${title}</h1>
${form(
  page,
  action,
  html`${action === 'save' ? seenField(page, kept) : null}${textField({ ...about('title'), maxLength: 120, required: true })}
${areaField({ ...about('description'), rows: 2 })}
${areaField({ ...about('fields'), hint: texts.fieldsHint, error: faultsIn(page, 'fields'), rows: 18, code: true })}
${areaField({ ...about('thanks'), rows: 2 })}
${textField({ ...about('tag'), hint: texts.tagHint, maxLength: 60 })}
${textField({ ...about('automation'), hint: texts.automationHint, maxLength: 100 })}
${checkbox({
  name: 'personal_link',
  value: 'yes',
  label: texts.personal,
  hint: texts.personalHint,
  checked: asKept(page, kept, 'personal_link').value === 'yes',
})}
<button>${texts.save}</button>`,
)}
${guide(page)}`;
}

const PLACES = ['name', 'phone', 'email', 'birth_date', 'notes', 'custom.<key>'] as const;

function guide({ lang }: Page): Html {
  const texts = FORMS[lang];
  const fits = (place: string, type: (typeof FIELD_TYPES)[number]): boolean =>
    fittingTypes(place.replace('<key>', 'key'))?.includes(type) ?? false;
  const rows = FIELD_TYPES.map((type) => [
    html`<code>${type}</code>`,
    codes(PLACES.filter((place) => fits(place, type))),
  ]);
  const types = table({ caption: texts.guide, columns: texts.guideColumns, rows });
  return disclosure(texts.guide, html`<p>${texts.guideLead}</p>${types}`);
}
