import type { Dictionary } from '../../pages/language.ts';

type Kind = 'not_found' | 'forbidden' | 'busy' | 'wrong';

interface ErrorTexts {
  readonly pages: Readonly<Record<Kind, { readonly title: string; readonly text: string }>>;
  readonly signIn: string;
  readonly reference: string;
}

export const ERRORS: Dictionary<ErrorTexts> = {
  en: {
    pages: {
      not_found: {
        title: 'There is nothing here',
        text: 'The link is not complete, was used already, or is too old.',
      },
      forbidden: {
        title: 'This did not come from our page',
        text: 'Go back, load the page once more and send it again. Nothing was changed.',
      },
      busy: {
        title: 'Please try again shortly',
        text: 'We cannot answer at this moment. If you were sending something, it may have arrived all the same: look before you send it again.',
      },
      wrong: { title: 'Something went wrong', text: 'Go back and try again.' },
    },
    signIn: 'Sign in',
    reference: 'Reference',
  },
  'pt-BR': {
    pages: {
      not_found: {
        title: 'Não há nada aqui',
        text: 'O link está incompleto, já foi usado ou é antigo demais.',
      },
      forbidden: {
        title: 'Isto não veio da nossa página',
        text: 'Volte, carregue a página de novo e envie outra vez. Nada foi alterado.',
      },
      busy: {
        title: 'Tente de novo daqui a pouco',
        text: 'Não conseguimos responder agora. Se você estava enviando algo, pode ter chegado mesmo assim: confira antes de enviar outra vez.',
      },
      wrong: { title: 'Algo deu errado', text: 'Volte e tente de novo.' },
    },
    signIn: 'Entrar',
    reference: 'Referência',
  },
};

const KINDS: Readonly<Record<string, Kind>> = {
  not_found: 'not_found',
  forbidden: 'forbidden',
  rate_limited: 'busy',
  unavailable: 'busy',
};

/** The page for an error code. */
export const kindOf = (code: string): Kind => KINDS[code] ?? 'wrong';
