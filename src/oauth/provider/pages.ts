import type { HtmlPage } from '../../http/error-telling.ts';
import { cardPage } from '../../pages/document.ts';
import { html } from '../../pages/html.ts';
import { type Dictionary, languageOf } from '../../pages/language.ts';

interface Texts {
  readonly title: string;
  readonly nothingGiven: string;
  readonly registerAgain: string;
  readonly notVerified: string;
  readonly back: (host: string) => string;
  readonly later: string;
  readonly ours: string;
}

const TEXTS: Dictionary<Texts> = {
  en: {
    title: 'This request cannot be used',
    nothingGiven:
      'The app that sent you here asked in a way that cannot be answered. Nothing was given to it.',
    registerAgain:
      'It is not registered here any more. To go on, remove the connection in your program and add it again.',
    notVerified: 'The app that sent you here is not verified.',
    back: (host) => `Return to ${host}`,
    later: 'Please try again shortly',
    ours: 'We cannot answer at this moment. Nothing was given to the app that sent you here. Load this page again, or start over in the app.',
  },
  'pt-BR': {
    title: 'Este pedido não pode ser usado',
    nothingGiven:
      'O aplicativo que trouxe você até aqui fez um pedido que não pode ser atendido. Nada foi dado a ele.',
    registerAgain:
      'Ele não está mais registrado aqui. Para continuar, remova a conexão no seu programa e adicione-a de novo.',
    notVerified: 'O aplicativo que trouxe você até aqui não é verificado.',
    back: (host) => `Voltar para ${host}`,
    later: 'Tente de novo daqui a pouco',
    ours: 'Não conseguimos responder agora. Nada foi dado ao aplicativo que trouxe você até aqui. Carregue esta página de novo ou recomece no aplicativo.',
  },
};

/** An error in the protocol's own words, which the app's developer knows, whatever the page's language. */
interface Said {
  readonly error: string;
  readonly description: string;
  /** The raw `Accept-Language`, or "". */
  readonly languages: string;
}

interface Unanswerable extends Said {
  /** Whether the app had registered itself, and is unknown by now. */
  readonly removed?: boolean;
}

/** What is no fault of the app: of the door, and of the library. */
const PASSING: ReadonlySet<string> = new Set([
  'unavailable',
  'rate_limited',
  'internal',
  'server_error',
]);

/** Shown to a person when a request cannot continue and the app must not be told by a redirect. */
export function errorPage({
  error,
  description,
  removed = false,
  languages,
}: Unanswerable): HtmlPage {
  const lang = languageOf(languages);
  const { later, ours, nothingGiven, registerAgain } = TEXTS[lang];
  const passes = PASSING.has(error);
  const title = passes ? later : TEXTS[lang].title;
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1>
<p>${passes ? ours : nothingGiven}${removed ? ` ${registerAgain}` : null}</p>
<p lang="en"><code>${error}</code> ${description}</p>`,
  });
}

/**
 * Anyone may register an app, so an error does not redirect to its address without the person seeing it (RFC 9700,
 * 4.11.2).
 */
export function leavingPage({ error, description, languages }: Said, target: string): HtmlPage {
  const lang = languageOf(languages);
  const { title, notVerified, back } = TEXTS[lang];
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1>
<p lang="en"><code>${error}</code> ${description}</p>
<p>${notVerified} <a href="${target}" rel="noreferrer">${back(new URL(target).host)}</a></p>`,
  });
}
