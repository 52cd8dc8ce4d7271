import { type Html, html } from '../../pages/html.ts';
import { codes, disclosure, table } from '../../pages/parts.ts';
import { FIELD_NAMES, fieldNamed, OPS } from '../../segments/rules.ts';
import type { Page } from '../page.ts';
import { idsGuide } from '../parts/ids.ts';
import { SEGMENTS } from './texts.ts';

/** The building blocks of rules: the fields, the operations of each, and the ids they refer to. */
export async function guide(page: Page): Promise<Html> {
  const texts = SEGMENTS[page.lang];
  const fields = table({
    caption: texts.guide,
    columns: texts.guideColumns,
    rows: FIELD_NAMES.map((name) => [codes([name]), operationsOf(name)]),
  });
  const byNoun = Object.groupBy(FIELD_NAMES, (name) => fieldNamed(name)?.ids ?? 'none');
  return html`${disclosure(texts.guide, html`<p>${texts.guideLead}</p>${fields}`)}
${await idsGuide(page, byNoun)}`;
}

function operationsOf(name: string): Html {
  const field = fieldNamed(name);
  const choices = field?.choices ? html` (${codes(field.choices)})` : null;
  return html`${codes(OPS[field?.kind ?? 'custom'])}${choices}`;
}
