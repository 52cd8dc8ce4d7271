import { listAutomations } from '../../automations/reading.ts';
import { listCampaigns } from '../../campaigns/reading.ts';
import { listForms } from '../../forms/service.ts';
import { listMembers, listTeams } from '../../members/reading.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import { codes, disclosure, table } from '../../pages/parts.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { FIELD_NAMES, fieldNamed, type IdNoun, OPS } from '../../segments/rules.ts';
import type { Page } from '../page.ts';
import { CHOICES, EVERYBODY } from '../parts/listing.ts';
import { SEGMENTS } from './texts.ts';

/** The building blocks of rules: the fields, the operations of each, and the ids they refer to. */
export async function guide(page: Page): Promise<Html> {
  const texts = SEGMENTS[page.lang];
  const fields = table({
    caption: texts.guide,
    columns: texts.guideColumns,
    rows: FIELD_NAMES.map((name) => [codes([name]), operationsOf(name)]),
  });
  return html`${disclosure(texts.guide, html`<p>${texts.guideLead}</p>${fields}`)}
${disclosure(texts.ids, html`<p>${texts.idsLead(page.format.number(CHOICES.limit))}</p>${table({ caption: texts.ids, columns: texts.idColumns, rows: await idsOf(page) })}`)}`;
}

function operationsOf(name: string): Html {
  const field = fieldNamed(name);
  const choices = field?.choices ? html` (${codes(field.choices)})` : null;
  return html`${codes(OPS[field?.kind ?? 'custom'])}${choices}`;
}

/** What ids stand for, and the fields that take them, as far as the person may see it. */
async function idsOf(page: Page): Promise<[string, Html, Html][]> {
  const { ctx, may, parts } = page;
  const numbers = may('numbers.read') ? (await listNumbers(ctx, EVERYBODY)).data : [];
  const teams = may('members.read') ? (await listTeams(ctx, EVERYBODY)).data : [];
  const members = may('members.read') ? (await listMembers(ctx, EVERYBODY)).data : [];
  const pipelines = may('pipelines.read') ? (await listPipelines(ctx, EVERYBODY)).data : [];
  const stages = pipelines.flatMap(({ name: pipeline, stages: its }) =>
    its.map(({ id, name }) => ({ id, name: `${pipeline}: ${name}` })),
  );
  const forms = may('forms.read')
    ? (await listForms(ctx, {}, CHOICES, parts.baseUrl)).data.map(({ id, title: name }) => ({
        id,
        name,
      }))
    : [];
  const automations = may('automations.read') ? (await listAutomations(ctx, {}, CHOICES)).data : [];
  const campaigns = may('campaigns.read') ? (await listCampaigns(ctx, {}, CHOICES)).data : [];
  return [
    ...namedIn('number', numbers),
    ...namedIn('team', teams),
    ...namedIn('member', members),
    ...namedIn('pipeline', pipelines),
    ...namedIn('stage', stages),
    ...namedIn('form', forms),
    ...namedIn('automation', automations),
    ...namedIn('campaign', campaigns),
  ];
}

function namedIn(
  noun: IdNoun,
  records: readonly { readonly id: string; readonly name: string }[],
): [string, Html, Html][] {
  const fields = codes(FIELD_NAMES.filter((name) => fieldNamed(name)?.ids === noun));
  return records.map(({ id, name }) => [name, codes([id]), fields]);
}
