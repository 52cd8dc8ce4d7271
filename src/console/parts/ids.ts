import type { Permission } from '../../access/permissions.ts';
import { listAutomations } from '../../automations/reading.ts';
import { listCampaigns } from '../../campaigns/reading.ts';
import { listForms } from '../../forms/service.ts';
import { listMembers, listTeams } from '../../members/reading.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { codes, disclosure, table } from '../../pages/parts.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { segmentNames } from '../../segments/reading.ts';
import type { IdNoun } from '../../segments/rules.ts';
import type { Page } from '../page.ts';
import { CHOICES, EVERYBODY } from './listing.ts';

interface Texts {
  readonly title: string;
  readonly lead: (newest: string) => string;
  readonly columns: readonly [string, string, string];
}

const IDS: Dictionary<Texts> = {
  en: {
    title: 'Ids of teams, people, numbers and others',
    lead: (newest) =>
      `Of forms, automations and campaigns only the newest ${newest} stand here; the id of another is at the end of the address of its page.`,
    columns: ['Name', 'Id', 'Fields'],
  },
  'pt-BR': {
    title: 'Ids de equipes, pessoas, números e outros',
    lead: (newest) =>
      `De formulários, automações e campanhas, só os ${newest} mais novos estão aqui; o id de outro está no fim do endereço da sua página.`,
    columns: ['Nome', 'Id', 'Campos'],
  },
};

type Noun = IdNoun | 'segment';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Records {
  readonly permission: Permission;
  readonly list: (page: Page) => Promise<readonly Named[]>;
}

const RECORDS: Readonly<Record<Noun, Records>> = {
  number: {
    permission: 'numbers.read',
    list: async ({ ctx }) => (await listNumbers(ctx, EVERYBODY)).data,
  },
  team: {
    permission: 'members.read',
    list: async ({ ctx }) => (await listTeams(ctx, EVERYBODY)).data,
  },
  member: {
    permission: 'members.read',
    list: async ({ ctx }) => (await listMembers(ctx, EVERYBODY)).data,
  },
  pipeline: {
    permission: 'pipelines.read',
    list: async ({ ctx }) => (await listPipelines(ctx, EVERYBODY)).data,
  },
  stage: { permission: 'pipelines.read', list: stages },
  form: { permission: 'forms.read', list: forms },
  automation: {
    permission: 'automations.read',
    list: async ({ ctx }) => (await listAutomations(ctx, {}, CHOICES)).data,
  },
  campaign: {
    permission: 'campaigns.read',
    list: async ({ ctx }) => (await listCampaigns(ctx, {}, CHOICES)).data,
  },
  segment: { permission: 'contacts.read', list: ({ ctx }) => segmentNames(ctx) },
};

async function stages({ ctx }: Page): Promise<Named[]> {
  const { data } = await listPipelines(ctx, EVERYBODY);
  return data.flatMap(({ name: pipeline, stages: its }) =>
    its.map(({ id, name }) => ({ id, name: `${pipeline}: ${name}` })),
  );
}

async function forms({ ctx, parts }: Page): Promise<Named[]> {
  const { data } = await listForms(ctx, {}, CHOICES, parts.baseUrl);
  return data.map(({ id, title: name }) => ({ id, name }));
}

/**
 * What may be named by its id in a text for machines, as far as the person may see it.
 *
 * @param fields those of the text that take such an id; without any, its kind is left out
 */
export async function idsGuide(
  page: Page,
  fields: Readonly<Partial<Record<Noun, readonly string[]>>>,
): Promise<Html> {
  const { title, lead, columns } = IDS[page.lang];
  const rows: [string, Html, Html][] = [];
  for (const [noun, { permission, list }] of Object.entries(RECORDS)) {
    const taking = fields[noun as Noun] ?? [];
    if (taking.length === 0 || !page.may(permission)) continue;
    for (const { id, name } of await list(page)) rows.push([name, codes([id]), codes(taking)]);
  }
  const newest = page.format.number(CHOICES.limit);
  return disclosure(title, html`<p>${lead(newest)}</p>${table({ caption: title, columns, rows })}`);
}
