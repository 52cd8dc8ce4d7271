import { holdsSeat } from '../access/roles.ts';
import { AppError } from '../errors.ts';
import type { ErrorPage, HtmlPage } from '../http/error-telling.ts';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { showOwnPage } from '../http/serving/page.ts';
import type { InteractionView } from '../oauth/consent/asked.ts';
import type { Interactions } from '../oauth/consent/interactions.ts';
import { mustSignInAgain } from '../oauth/rules.ts';
import { cardPage } from '../pages/document.ts';
import { html } from '../pages/html.ts';
import { languageOf } from '../pages/language.ts';
import { checkForm, fieldOf } from '../people/forms.ts';
import { type Membership, membershipsOf } from '../people/service.ts';
import { seeOther, sessionOf, signInPath } from '../people/session-cookie.ts';
import type { Session } from '../people/sessions.ts';
import {
  type ConsentShown,
  consentPage,
  leadingOnPage,
  pathOf,
  SEEN_FIELD,
  seenOf,
} from './consent-view.ts';
import { errorPage, languageIn, type SignInParts } from './parts.ts';
import { CONSENT } from './texts/consent.ts';

export interface ConsentParts extends SignInParts {
  readonly interactions: Interactions;
}

/**
 * Where a person grants an app what it asks for, and nothing more (specification, Flow 3). The request belongs to the
 * browser that began it, the answer to the person signed in there.
 */
export const consentMount = (parts: ConsentParts): Mount => ({
  path: '/oauth/authorize/:uid',
  methods: ['GET', 'POST'],
  errorPage: overPage,
  handle: async (ctx) => {
    const asked = await parts.interactions.read(ctx);
    const session = await sessionOf(parts, ctx);
    if (!session) return seeOther(ctx, signInPath(pathOf(asked)));
    if (asked.goesOnAt) return leadOn(ctx, asked, asked.goesOnAt);
    if (mustSignInAgain(asked, session.signedInAt, parts.clock.now()))
      return seeOther(ctx, `${signInPath(pathOf(asked))}&again=1`);
    const scene = { asked, session, workspaces: await whereAppsMayConnect(parts, session) };
    if (ctx.method === 'POST') await receive(parts, ctx, scene);
    else view(ctx, scene);
  },
});

type Scene = Pick<ConsentShown, 'asked' | 'session' | 'workspaces'>;

/** The workspaces in which the person has a seat and is not a Viewer. */
const whereAppsMayConnect = async (
  { database }: ConsentParts,
  { userId }: Session,
): Promise<Membership[]> =>
  (await membershipsOf(database, userId)).filter(
    ({ role, status }) => status === 'active' && holdsSeat(role),
  );

function view(ctx: Framed, scene: Scene, problems = new Map<string, string>(), status = 200): void {
  show(ctx, consentPage({ ...scene, lang: languageIn(ctx), problems }), status);
}

const leadOn = (ctx: Framed, asked: InteractionView, target: string): void =>
  show(ctx, leadingOnPage(languageIn(ctx), asked, target));

function show(ctx: Framed, page: HtmlPage, status = 200): void {
  showOwnPage(ctx, page, status);
  // The browser goes on to another site.
  ctx.set('Referrer-Policy', 'no-referrer');
}

async function receive(parts: ConsentParts, ctx: Framed, scene: Scene): Promise<void> {
  const body = await checkForm(parts, ctx, scene.session);
  const answer = fieldOf(body, 'answer');
  const { session, asked } = scene;
  if (answer === 'decline') return leadOn(ctx, asked, await parts.interactions.decline(ctx));
  const texts = CONSENT[languageIn(ctx)];
  if (fieldOf(body, SEEN_FIELD) !== seenOf(asked))
    return view(ctx, scene, new Map([['', texts.changed]]), 409);
  const wanted = fieldOf(body, 'workspace');
  const workspace = scene.workspaces.find(({ organizationId }) => organizationId === wanted);
  if (answer !== 'allow' || !workspace)
    return view(ctx, scene, new Map([['workspace', texts.chooseWorkspace]]), 422);
  const { organizationId, memberId } = workspace;
  try {
    const { scopes } = asked;
    const approval = { organizationId, memberId, session, scopes };
    leadOn(ctx, asked, await parts.interactions.approve(ctx, approval));
  } catch (error) {
    const problem = error instanceof AppError ? said(error, texts) : undefined;
    if (!problem || !(error instanceof AppError)) throw error;
    view(ctx, scene, new Map([['workspace', problem]]), error.status);
  }
}

/** Whoever answered already, or comes too late, has nothing to do here. */
const overPage: ErrorPage = (error, seen) => {
  if (error.code !== 'not_found') return errorPage(error, seen);
  const lang = languageOf(seen.languages);
  const { title, text } = CONSENT[lang].over;
  return cardPage({ lang, title, card: html`<h1>${title}</h1><p>${text}</p>` });
};

const said = (
  { code }: AppError,
  { quota, refused }: { readonly quota: string; readonly refused: string },
): string | undefined => ({ quota, forbidden: refused })[code as string];
