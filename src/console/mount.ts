import { createContext } from '../db/contexts.ts';
import { notFound } from '../errors.ts';
import type { FormBody } from '../http/body/form.ts';
import type { Upload } from '../http/body/spool.ts';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import { assetMounts } from '../pages/assets.ts';
import { languageOf } from '../pages/language.ts';
import { hasToken, readOwnForm } from '../people/forms.ts';
import { membershipsOf } from '../people/service.ts';
import { redirectPage, seeOther, signedIn } from '../people/session-cookie.ts';
import type { Session } from '../people/sessions.ts';
import type { ConsoleParts } from './deps.ts';
import { sayAway } from './frame/away.ts';
import { consoleErrorPage, keepWritten } from './frame/error-page.ts';
import { clearFlash, takeFlash, writeFlash } from './frame/flash.ts';
import { framed, workspaceChoice } from './frame/frame.ts';
import { presenceIn, renew } from './frame/presence.ts';
import { UNSENT_SCRIPT } from './frame/unsent.ts';
import { perform } from './once.ts';
import { entering, pageOf, placeOf, requireAllowed } from './opening.ts';
import type { ConsolePage } from './page.ts';
import { actionOf } from './parts/contact-choice.ts';
import { answerFile, isUpload, withUpload } from './parts/files.ts';
import { type Asked, atSurvivor, goToSurvivor, refusalOf } from './refused.ts';
import { pageTable } from './table.ts';
import { textsOf } from './texts/texts.ts';
import type { Console, Visit } from './visit.ts';

/** As much as the API accepts, because definitions of automations are written here too. */
const FORM_BYTES = 1_048_576;

/** The web console: one area for choosing a workspace, one for a workspace's pages. */
export function consoleMounts(parts: ConsoleParts, pages: readonly ConsolePage[]): Mount[] {
  const console = { parts, pages, find: pageTable(pages) };
  return [
    frontDoor,
    ...assetMounts([UNSENT_SCRIPT]),
    {
      path: '/console',
      methods: ['GET'],
      errorPage: consoleErrorPage,
      handle: signedIn(parts, (ctx, session) => enterConsole(parts, ctx, session)),
    },
    {
      path: '/console/*',
      methods: ['GET', 'POST'],
      errorPage: consoleErrorPage,
      handle: signedIn(
        parts,
        (ctx, session) => receive(console, ctx, session),
        (ctx, to) => (isWrittenIn(console, ctx) ? sayAway : redirectPage)(ctx, to),
      ),
    },
  ];
}

/** Whoever opens the bare address in a browser means the console; to a program it is no address of the API. */
const frontDoor: Mount = {
  path: '/',
  handle: (ctx) => {
    const reads = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!reads || ctx.accepts('json', 'html') !== 'html') throw notFound('address');
    ctx.vary('Accept');
    seeOther(ctx, '/console');
  },
};

async function receive(console: Console, ctx: Framed, session: Session): Promise<void> {
  if (isUpload(ctx)) return receiveUpload(await visitOf(console, ctx, session));
  // Forms sent by other sites are refused before anything else.
  const limits = { baseUrl: console.parts.baseUrl, maxBytes: FORM_BYTES };
  const sent = ctx.method === 'POST' ? await readOwnForm(limits, ctx) : null;
  if (sent) keepWritten(ctx, () => sent);
  const visit = await visitOf(console, ctx, session);
  if (sent) return receiveForm(visit, sent);
  await show(visit).catch((error: unknown) => goToSurvivor(visit, error));
}

const receiveForm = (visit: Visit, sent: FormBody, file: Upload | null = null): Promise<void> =>
  hasToken(sent, visit.session)
    ? act(visit, sent, file)
    : show(visit, { ...saying(visit, '', 'stale'), sent, status: 403 });

/** Whether somebody may be writing on this page: taking them away would lose it. */
const isWrittenIn = ({ find }: Console, http: Framed): boolean =>
  find(placeOf(http).path)?.page.actions !== undefined;

/** A file that is too large is a problem of the form, as is one that finds no place. */
const receiveUpload = (visit: Visit): Promise<void> =>
  withUpload(visit, {
    act: (sent, file) => receiveForm(visit, sent, file),
    refuse: (sent, why) => {
      const { status, retryable } = why;
      const said = saying(visit, 'file', retryable ? 'filesBusy' : 'fileTooLarge');
      return show(visit, { ...said, sent, status, ...(retryable ? { failure: why } : {}) });
    },
  });

type Unperformed = 'stale' | 'merged' | 'fileTooLarge' | 'filesBusy';

/** The page shown again with one problem: of a form that was not performed, and keeps what stands in it. */
function saying({ http }: Visit, field: string, why: Unperformed): Asked {
  const text = textsOf(languageOf(http.get('accept-language')))[why];
  const faults = [{ path: field, field, text }];
  return { ...NOTHING_SENT, problems: new Map([[field, text]]), faults };
}

async function enterConsole(parts: ConsoleParts, ctx: Framed, session: Session): Promise<void> {
  const all = await membershipsOf(parts.database, session.userId);
  const active = all.filter(({ status }) => status === 'active');
  const [only] = active;
  if (only && active.length === 1 && ctx.querystring !== 'choose')
    return seeOther(ctx, `/console/${only.organizationId}`);
  showOwnPage(ctx, workspaceChoice(languageOf(ctx.get('accept-language')), active));
}

/** Another workspace's pages are answered like missing ones. Whether somebody is suspended there is asked with their rights. */
async function visitOf(console: Console, http: Framed, session: Session): Promise<Visit> {
  const { organizationId, path } = placeOf(http);
  const found = console.find(path);
  const all = await membershipsOf(console.parts.database, session.userId);
  const own = all.find((one) => one.organizationId === organizationId);
  if (!found || !own) throw notFound('page');
  const known = { organizationId, memberId: own.memberId, credentialId: session.id, app: null };
  return { ...console, ...found, http, session, known, path };
}

const NOTHING_WRONG = { problems: new Map<string, string>(), faults: [] };
const NOTHING_SENT = { ...NOTHING_WRONG, sent: new Map<string, string[]>(), answer: null };

/** Shows the page with the services' current answers; after a form, with what was sent and what is wrong with it. */
async function show(visit: Visit, asked: Asked = NOTHING_SENT): Promise<void> {
  const { http, parts, pages } = visit;
  const now = parts.clock.now();
  // What refreshes a part shows no flash, and another tab may ask for its part first.
  const flash = http.get('HX-Request') ? null : takeFlash(visit, now);
  const request = requestOf(http);
  const [found, present] = await entering(visit, async (entered, sql) => {
    const ctx = { ...entered, sql, now, request };
    const presence = await presenceIn(ctx, visit.session);
    const left = { ...asked, file: null, flash, presence };
    const page = pageOf(visit, entered, ctx, left);
    const view = await visit.page.view(page);
    const present = presence?.isDue ? entered : null;
    if ('pieces' in view) return [view, present];
    if (page.seen && view.state !== undefined && page.seen !== view.state)
      http.set('HX-Refresh', 'true');
    return [framed(page, visit.path, view, pages), present];
  });
  if (present)
    await renew(
      { ...createContext(parts, { ...present, now, request }), ...present },
      visit.session,
    );
  if ('pieces' in found) return answerFile(visit, found);
  if (flash) clearFlash(visit);
  showOwnPage(http, found, asked.status);
  // Kept for the browser's own Back, which otherwise has an error in place of what was written.
  if (asked.sent.size > 0) http.set('Cache-Control', 'private, no-cache');
  if (!asked.failure) return;
  http.state.area = { errorPage: () => found };
  throw asked.failure;
}

/** Performs the form's action and redirects; if it is refused, shows the page again. */
async function act(visit: Visit, sent: FormBody, file: Upload | null): Promise<void> {
  const name = actionOf(sent);
  const { actions = {} } = visit.page;
  // Only the page's own actions: every object has a `constructor`.
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw notFound('page');
  const { http, parts, known } = visit;
  try {
    // The connection is returned at once, because the action has its own transaction.
    const entered = await entering(visit, (who) => who);
    requireAllowed(entered.actor, action.permission);
    const now = parts.clock.now();
    const ctx = createContext(parts, { ...entered, now, request: requestOf(visit.http) });
    const left = { ...NOTHING_WRONG, sent, file, flash: null, answer: null, presence: null };
    const done = await perform(pageOf(visit, entered, ctx, left), action);
    if ('answer' in done) return await show(visit, { ...NOTHING_WRONG, sent, ...done });
    if (done.to === null) return seeOther(http, '/console');
    if (done.flash) writeFlash(visit, done.flash, now);
    seeOther(http, `/console/${known.organizationId}${done.to}`);
  } catch (error) {
    const survivor = atSurvivor(visit, error);
    if (survivor)
      return await show(survivor, { ...saying(visit, '', 'merged'), sent, status: 409 });
    const refused = refusalOf(error, visit, sent, action);
    if (!refused) throw error;
    await show(visit, refused);
  }
}
