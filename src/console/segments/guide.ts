import { listTeams } from '../../members/reading.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import { codes, disclosure, table } from '../../pages/parts.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { FIELD_NAMES, fieldNamed, OPS } from '../../segments/rules.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from '../parts/listing.ts';
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
${disclosure(texts.ids, table({ caption: texts.ids, columns: texts.idColumns, rows: await idsOf(page) }))}`;
}

function operationsOf(name: string): Html {
  const field = fieldNamed(name);
  const choices = field?.choices ? html` (${codes(field.choices)})` : null;
  return html`${codes(OPS[field?.kind ?? 'custom'])}${choices}`;
}

async function idsOf({ ctx, may }: Page): Promise<[string, Html][]> {
  const numbers = may('numbers.read') ? (await listNumbers(ctx, EVERYBODY)).data : [];
  const teams = may('members.read') ? (await listTeams(ctx, EVERYBODY)).data : [];
  const pipelines = may('pipelines.read') ? (await listPipelines(ctx, EVERYBODY)).data : [];
  const stages = pipelines.flatMap((pipeline) => [
    pipeline,
    ...pipeline.stages.map(({ id, name }) => ({ id, name: `${pipeline.name}: ${name}` })),
  ]);
  return [...numbers, ...teams, ...stages].map(({ id, name }) => [name, codes([id])]);
}
