import { newOwnCampaign, ownChange } from '../../campaigns/draft/own.ts';
import { PACES } from '../../campaigns/limits/pacing.ts';
import { readCampaign } from '../../campaigns/reading.ts';
import { MOST_CONTACT_IDS } from '../../campaigns/rules.ts';
import { createCampaign, updateCampaign } from '../../campaigns/service.ts';
import type { Context } from '../../context.ts';
import { guard } from '../../http/guard.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { areaField, type Option, onlyFor, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { notice } from '../../pages/parts.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { crumbs } from '../frame/heading.ts';
import { allOf, type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { audienceProblems, audiencesOf } from '../parts/audience-choice.ts';
import { contactChoice, find } from '../parts/contact-choice.ts';
import { asKept, form } from '../parts/form.ts';
import { CHOICES, EVERYBODY } from '../parts/listing.ts';
import { noNumber } from '../parts/no-number.ts';
import { repeated } from './again.ts';
import { contentOf, lockedContent } from './seen.ts';
import { CAMPAIGNS } from './texts.ts';

type Campaign = Awaited<ReturnType<typeof readCampaign>>;

type Values = Readonly<Record<'name' | 'number_id' | 'audience' | 'text' | 'pace', string>>;

const TARGETS: Readonly<Record<string, string>> = {
  group: 'groups',
  contacts: 'contacts',
  pipeline: 'pipeline',
};

/** An audience that is not among the choices, such as several groups or too many people: it stays as it is. */
const KEPT = 'kept';

/** Each choice names the kind of audience and the record: `segment:seg_…`; `contacts` are ticked one by one. */
const audienceIn = (page: Page<Context>): Record<string, unknown> => {
  const [kind = '', id = ''] = field(page, 'audience').split(':');
  if (kind === KEPT) return {};
  return {
    target: TARGETS[kind] ?? 'segment',
    segment_id: kind === 'segment' ? id : null,
    group_ids: kind === 'group' ? [id] : [],
    contact_ids: kind === 'contacts' ? allOf(page, 'contact_ids') : [],
    pipeline_id: kind === 'pipeline' ? id : null,
    stage_ids: [],
  };
};

const bodyOf = (page: Page<Context>): Record<string, unknown> => ({
  ...audienceIn(page),
  name: field(page, 'name'),
  number_id: field(page, 'number_id'),
  text: field(page, 'text'),
  pace: Number(field(page, 'pace')),
});

const PROBLEMS_AT = { ...audienceProblems('contact_ids'), pace_not_allowed: 'pace' };

export const newCampaignPage: ConsolePage = {
  path: '/campaigns/new',
  permission: 'campaigns.create',
  view: async (page) => {
    const texts = CAMPAIGNS[page.lang];
    const empty = { name: '', number_id: '', audience: '', text: '', pace: '60' };
    const content = await editor(page, { title: texts.create, action: 'create', kept: empty });
    return { title: texts.create, content };
  },
  actions: {
    find,
    create: {
      permission: 'campaigns.create',
      once: true,
      run: async (page): Promise<Done> => {
        const { id } = await createCampaign(page.ctx, guard(newOwnCampaign, bodyOf(page)));
        return { to: `/campaigns/${id}`, flash: { text: CAMPAIGNS[page.lang].created } };
      },
      problemsAt: PROBLEMS_AT,
    },
  },
};

export const editCampaignPage: ConsolePage = {
  path: '/campaigns/:id/edit',
  id: 'cmp',
  permission: 'campaigns.create',
  view: async (page) => {
    const texts = CAMPAIGNS[page.lang];
    const campaign = await readCampaign(page.ctx, idOf(page));
    const audience = audienceOf(campaign);
    const known = { ...campaign, audience, number_id: campaign.number_id ?? '' };
    const values = { ...known, pace: String(campaign.pace) };
    const content = await editor(page, {
      title: campaign.name,
      action: 'save',
      kept: values,
      contacts: audience === KEPT ? [] : campaign.contact_ids,
      seen: seenField(page, contentOf(campaign)),
      again: await repeated(page, campaign),
    });
    return { title: texts.edit, content };
  },
  actions: {
    find,
    save: {
      permission: 'campaigns.create',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        const change = guard(ownChange, bodyOf(page));
        await asSeen(page, { stored: lockedContent(id, 'edit'), for: 'written' }, (seen) =>
          updateCampaign(seen.ctx, id, change),
        );
        return { to: `/campaigns/${id}`, flash: { text: CAMPAIGNS[page.lang].saved } };
      },
      problemsAt: PROBLEMS_AT,
    },
  },
};

function audienceOf({
  target,
  contact_ids: contacts,
  group_ids: groups,
  segment_id: segment,
  pipeline_id: pipeline,
  stage_ids: stages,
}: Campaign): string {
  if (target === 'contacts') return contacts.length > MOST_CONTACT_IDS ? KEPT : 'contacts';
  if (target === 'groups' && groups.length === 1) return `group:${groups[0]}`;
  if (pipeline && stages.length === 0) return `pipeline:${pipeline}`;
  return segment ? `segment:${segment}` : KEPT;
}

interface Edited {
  readonly title: string;
  /** The action that the form posts to. */
  readonly action: string;
  /** The initial values of its fields. */
  readonly kept: Values;
  readonly contacts?: readonly string[];
  readonly seen?: Html;
  /** What it sends again. */
  readonly again?: Html | null;
}

async function editor(page: Page, edited: Edited): Promise<Html> {
  const { title, action, kept, contacts = [], seen = null, again = null } = edited;
  const texts = CAMPAIGNS[page.lang];
  const numbers = await listNumbers(page.ctx, CHOICES);
  const audiences = await audiencesWith(page, kept.audience);
  const head = html`${crumbs(page, ['/campaigns', texts.nav])}<h1>${title}</h1>`;
  if (numbers.data.length === 0) return html`${head}${noNumber(page, texts.nothingToSend)}`;
  const wrongContacts = page.problems.get('contact_ids');
  const chosen = await contactChoice(page, {
    type: 'checkbox',
    kept: contacts,
    error: wrongContacts,
  });
  const about = (name: keyof Values) => ({ ...asKept(page, kept, name), required: true });
  const sentBy = numbers.data.map(({ id, name }) => ({ value: id, label: name }));
  const paces = PACES.map((pace) => ({
    value: String(pace),
    label: texts.perMinute(page.format.number(pace)),
  }));
  const repeats = again && notice(html`${texts.again.repeats}: ${again}`, 'plain');
  return html`${head}${repeats}${form(
    page,
    action,
    html`${seen}${textField({ ...about('name'), label: texts.name, maxLength: 80 })}
${selectField({ ...about('number_id'), label: texts.number, options: sentBy })}
${selectField({ ...about('audience'), label: texts.audience, hint: texts.audienceHint, options: audiences })}
${onlyFor('contacts', html`<h2>${texts.chosen}</h2><p>${texts.chosenLead}</p>${chosen}`)}
${areaField({ ...about('text'), label: texts.text, hint: texts.textHint, rows: 6 })}
${selectField({ ...about('pace'), label: texts.pace, options: paces })}
<button>${texts.save}</button>`,
  )}`;
}

/** Always includes the current one, which may be several groups. */
async function audiencesWith(page: Page, kept: string): Promise<Option[]> {
  const texts = CAMPAIGNS[page.lang];
  const choices = (await audiencesOf(page)).options;
  const pipelines = page.may('pipelines.read')
    ? (await listPipelines(page.ctx, EVERYBODY)).data
    : [];
  const options = [
    ...choices,
    ...pipelines.map(({ id, name }) => ({
      value: `pipeline:${id}`,
      label: texts.targets.pipeline(name, ''),
    })),
    { value: 'contacts', label: texts.chosen },
  ];
  const isThere = kept === '' || options.some(({ value }) => value === kept);
  return isThere ? options : [{ value: KEPT, label: texts.kept }, ...options];
}
