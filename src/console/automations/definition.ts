import type { Issue } from '../../automations/issues/issues.ts';
import type { getAutomation } from '../../automations/reading.ts';
import { requireLocked } from '../../automations/service.ts';
import type { Context } from '../../context.ts';
import { AppError, type FieldProblem, validation } from '../../errors.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import { field, type Page } from '../page.ts';
import { idsGuide } from '../parts/ids.ts';
import { faultsIn, jsonText, readJson } from '../parts/json-text.ts';
import { AUTOMATIONS } from './texts.ts';
import type { AutomationTexts } from './texts-shape.ts';

/** The answer of `get_automation`. */
export type Automation = Awaited<ReturnType<typeof getAutomation>>;

export interface Written {
  readonly name: string;
  readonly description: string;
  /** As JSON. */
  readonly definition: string;
}

/** When it was last changed, which its page's forms carry; locked. */
export const lockedMoment =
  (id: string) =>
  async (ctx: Context): Promise<string> =>
    (await requireLocked(ctx, id)).updated_at.toISOString();

/** The draft's parts of an automation, as text. */
export const definitionText = ({
  trigger,
  entry,
  steps,
}: Pick<Automation, 'trigger' | 'entry' | 'steps'>): string => jsonText({ trigger, entry, steps });

/** A first definition, which works as it is. */
export const starterText = ({ lang }: Page): string =>
  jsonText({
    trigger: { type: 'first_message' },
    entry: { skip_if_handled_by_member: true },
    steps: [
      { id: 'hello', type: 'send_message', text: AUTOMATIONS[lang].starter, next: 'end' },
      { id: 'end', type: 'end' },
    ],
  });

/** The body for the API's operations. Throws 422 at `definition` if it is not a JSON object. */
export function bodyOf(page: Page): Readonly<Record<string, unknown>> {
  const definition = readJson(page, 'definition');
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
    const message = AUTOMATIONS[page.lang].noObject;
    throw validation([{ path: 'definition', rule: 'type', message }]);
  }
  const description = field(page, 'description').trim();
  return {
    entry: {},
    ...definition,
    name: field(page, 'name'),
    description: description === '' ? null : description,
  };
}

/** The text is the whole definition: what was taken out of it is missing, where a patch would leave it as it was. */
export function requireWhole(body: Readonly<Record<string, unknown>>): void {
  const missing = ['trigger', 'steps'].filter((name) => !Object.hasOwn(body, name));
  if (missing.length === 0) return;
  const message = 'This field is required.';
  throw validation(missing.map((path) => ({ path, rule: 'required', message })));
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['name', 'description']);

/** Runs an operation that sends a definition, and shows its problems and issues at their places in the text. */
export async function asWritten<T>({ lang }: Page, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { misfits, issuesKeep, issues } = AUTOMATIONS[lang];
    const [said, problems] =
      error.code === 'validation'
        ? [misfits, problemsIn(error)]
        : [issuesKeep, issuesIn(error, issues)];
    // An issue's place is a step, whatever its id.
    const isOwn = ({ path }: FieldProblem) => error.code === 'validation' && OWN_FIELDS.has(path);
    const own = problems.filter(isOwn);
    const inText = problems.filter((one) => !isOwn(one));
    if (inText.length === 0) throw error;
    throw validation([
      ...own,
      { path: 'definition', rule: 'misfits', message: said(inText.length) },
      ...inText.map((one) => ({ ...one, path: `definition.${one.path}` })),
    ]);
  }
}

const problemsIn = ({ details }: AppError): readonly FieldProblem[] =>
  Array.isArray(details) ? details : [];

function issuesIn({ code, details }: AppError, words: AutomationTexts['issues']): FieldProblem[] {
  if (code !== 'invalid_definition') return [];
  const { issues } = details as { readonly issues: readonly Issue[] };
  return issues.map((one) => ({
    path: one.path ?? one.step_id ?? '',
    rule: one.code,
    message: words?.[one.code] ?? one.message,
  }));
}

/**
 * Name, description and definition; after an error, what was sent.
 *
 * @param beside what else can be done with what stands there
 */
export function writingFields(page: Page, kept: Written, beside: Html | null = null): Html {
  const texts = AUTOMATIONS[page.lang];
  const again = page.sent.has('definition');
  const about = (name: keyof Written) => ({
    name,
    value: again ? field(page, name) : kept[name],
    error: page.problems.get(name),
  });
  const guide = html`${texts.definitionHint} <a href="/docs/writing-automations">${texts.guide}</a>`;
  return html`${textField({
    ...about('name'),
    label: texts.name,
    maxLength: 100,
    required: true,
  })}${textField({
    ...about('description'),
    label: texts.description,
    maxLength: 500,
  })}${areaField({
    ...about('definition'),
    label: texts.definition,
    hint: guide,
    error: faultsIn(page, 'definition'),
    rows: 24,
    code: true,
    required: true,
  })}<div class="actions"><button>${texts.save}</button>${beside}</div>`;
}

/** The fields of a definition that take an id; those of its conditions are in the guide. */
const IDS = {
  number: ['number_ids'],
  team: ['team_id'],
  member: ['member_id'],
  pipeline: ['pipeline_id'],
  stage: ['stage_id', 'stage_ids'],
  form: ['form_ids'],
  automation: ['automation_id'],
  campaign: ['campaign_ids'],
  segment: ['segment_id'],
};

/** Below the form: the ids of what a definition names. */
export const definitionIds = (page: Page): Promise<Html> => idsGuide(page, IDS);

/** The stored draft's issues, each with its place in the text. */
export function issuesList({ lang }: Page, issues: readonly Issue[]): Html {
  const texts = AUTOMATIONS[lang];
  if (issues.length === 0) return html`<p class="soft">✓ ${texts.fine}</p>`;
  return html`<ul class="listed">${issues.map(
    ({ severity, path, step_id: step, code, message }) =>
      html`<li>${badge(texts.severities[severity], severity === 'error' ? 'bad' : 'warn')} ${
        (path ?? step) ? html`<code>${path ?? step}</code> ` : null
      }${texts.issues ? texts.issues[code] : message}</li>`,
  )}</ul>`;
}
