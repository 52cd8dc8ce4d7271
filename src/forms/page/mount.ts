import { system } from '../../access/actor.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { AppError } from '../../errors.ts';
import { type FormBody, readForm } from '../../http/body/form.ts';
import type { ErrorPage } from '../../http/error-telling.ts';
import type { Framed } from '../../http/framed.ts';
import type { Mount } from '../../http/mount.ts';
import { requestOf } from '../../http/serving/frame.ts';
import { showPage } from '../../http/serving/page.ts';
import { dayIn } from '../../workspaces/service.ts';
import { type Answers, readAnswers } from '../answers.ts';
import { readingIn } from '../reading.ts';
import { submitForm } from '../submitting.ts';
import { pageToken, usedToken } from '../tokens.ts';
import { inputName } from './controls.ts';
import { documentOf, message } from './document.ts';
import { type FindingParts, openForm, type PublicForm, waitFor } from './finding.ts';
import { type Texts, textsFor } from './texts.ts';
import { type FormShown, formPage, LINK, TOKEN, TRAP, thanksPage } from './view.ts';

export interface FormPageParts extends FindingParts, ContextParts {
  readonly clock: Clock;
}

/** 20 fields of 2,000 characters, each an escaped emoji, and some room. */
const MAX_BYTES = 640 * 1024;

/** The public pages of forms. People fill them in without signing in and without JavaScript. */
export const formMount = (parts: FormPageParts): Mount => ({
  path: '/f/:id',
  methods: ['GET', 'POST'],
  errorPage,
  handle: async (ctx) => {
    if (ctx.method === 'POST') await receive(parts, ctx);
    else await open(parts, ctx);
  },
});

const idOf = ({ state }: Framed): string => state.params?.['id'] ?? '';

async function open(parts: FormPageParts, ctx: Framed): Promise<void> {
  const retry_after_s = await waitFor(parts, 'open', ctx.state.ip);
  if (retry_after_s > 0)
    throw new AppError('rate_limited', 'Too many requests.', { retry_after_s });
  const now = parts.clock.now();
  const link = new URLSearchParams(ctx.querystring).get(LINK) ?? '';
  const found = await openForm(parts, { id: idOf(ctx), link, now });
  showPage(ctx, formPage(shown(parts, found, { link, now, sent: new Map() })));
}

interface Sent {
  readonly link: string;
  readonly now: Date;
  readonly sent: FormBody;
}

const shown = (
  { keyring }: FormPageParts,
  { form, workspace }: PublicForm,
  { link, now, sent }: Sent,
): FormShown => ({
  form,
  workspace: workspace.name,
  texts: textsFor(workspace.language),
  token: pageToken(keyring, form, now),
  link,
  sent: (key) => sent.get(inputName(key)) ?? [],
  problems: new Map(),
  trouble: '',
});

const one = (sent: FormBody, name: string): string => sent.get(name)?.[0] ?? '';

async function receive(parts: FormPageParts, ctx: Framed): Promise<void> {
  const sent = await readForm(ctx.req, MAX_BYTES);
  const now = parts.clock.now();
  const link = one(sent, LINK);
  const found = await openForm(parts, { id: idOf(ctx), link, now });
  const token = one(sent, TOKEN);
  const tokenHash = usedToken(parts.keyring, found.form, token, now);
  const written = shown(parts, found, { link, now, sent });
  const again = tokenHash ? written : { ...written, sent: unagreed(found, written) };
  const { texts } = again;
  const refuse = (status: number, changed: Partial<FormShown>): void =>
    showPage(ctx, formPage({ ...again, ...changed }), status);

  const wait = await waitFor(parts, 'send', ctx.state.ip);
  if (wait > 0) {
    ctx.set('Retry-After', String(wait));
    return refuse(429, { trouble: texts.tooMany });
  }
  if (one(sent, TRAP) !== '') return refuse(422, { trouble: texts.refused });
  if (!tokenHash) return refuse(422, { trouble: texts.expired });
  const { values, problems } = read(found, again, now);
  if (problems.size > 0) return refuse(422, { problems, token });
  const { form, organizationId } = found;
  const input = { organizationId, now, request: requestOf(ctx), actor: system('form') };
  const submit = ({ linkedContactId }: PublicForm): Promise<unknown> =>
    submitForm(createContext(parts, input), { form, values, linkedContactId, tokenHash });
  await submit(found).catch(async (error: unknown) => {
    if (!isOfTheMoment(error)) throw error;
    await submit(await openForm(parts, { id: form.id, link, now }));
  });
  showPage(ctx, thanksPage(again));
}

/** The contact was merged, deleted or given the phone while the answers were about to be saved. */
const isOfTheMoment = (error: unknown): boolean =>
  error instanceof AppError && ['not_found', 'conflict', 'duplicate'].includes(error.code);

/** What was sent, without what was agreed to: the words may be others now, and must be read. */
function unagreed({ form }: PublicForm, { sent }: FormShown): FormShown['sent'] {
  const consents = form.fields.filter(({ type }) => type === 'consent').map(({ key }) => key);
  return (key) => (consents.includes(key) ? [] : sent(key));
}

function read({ form, workspace }: PublicForm, { sent }: FormShown, now: Date): Answers {
  const { language, time_zone: timeZone } = workspace;
  return readAnswers(form.fields, sent, readingIn(language, dayIn(timeZone, now)));
}

const BUSY = new Set(['rate_limited', 'unavailable']);

/** Until the form is known, the reader's language can only be taken from the browser. */
const errorPage: ErrorPage = ({ code }, { requestId, languages }) => {
  const texts = textsFor(languages);
  const { title, text } = texts.pages[kindOf(code)];
  const foot = code === 'not_found' ? '' : `${texts.reference}: ${requestId}`;
  return documentOf({ texts, title, foot }, message(title, text));
};

function kindOf(code: string): keyof Texts['pages'] {
  if (code === 'not_found') return 'not_found';
  return BUSY.has(code) ? 'busy' : 'wrong';
}
