import { countryOf } from '../../contacts/identity/local-phones.ts';
import { languageOf } from '../../pages/language.ts';
import type { Problem } from '../answers.ts';

/** All texts of the page in one language. */
export interface Texts {
  readonly lang: string;
  readonly send: string;
  readonly choose: string;
  readonly requiredNote: string;
  readonly required: string;
  readonly thanksTitle: string;
  readonly thanks: string;
  readonly errorWord: string;
  readonly goesTo: (workspace: string) => string;
  readonly summary: (count: number) => string;
  readonly phoneHint: string;
  readonly problem: (problem: Problem) => string;
  readonly honeypot: string;
  readonly expired: string;
  readonly tooMany: string;
  readonly refused: string;
  readonly pages: Readonly<Record<'not_found' | 'busy' | 'wrong', PageText>>;
  readonly reference: string;
}

interface PageText {
  readonly title: string;
  readonly text: string;
}

const PROBLEMS_PT: Readonly<Record<Problem['code'], string>> = {
  required: 'Preencha este campo.',
  choose: 'Escolha uma opção.',
  tick: 'Marque esta caixa para continuar.',
  too_long: 'Use no máximo {limit} caracteres.',
  email: 'Escreva um e-mail válido, como ana@exemplo.com.br.',
  phone: 'Escreva o telefone com DDD, como 11 98765-4321.',
  number: 'Escreva um número, como 12 ou 12,5.',
  date: 'Escreva uma data que existe, como 31/12/2026.',
  birth_date: 'A data de nascimento deve estar entre 1900 e hoje.',
  option: 'Escolha uma das opções da lista.',
  several: 'Responda uma vez só.',
};

const PROBLEMS_EN: Readonly<Record<Problem['code'], string>> = {
  required: 'Fill in this field.',
  choose: 'Choose an option.',
  tick: 'Tick this box to continue.',
  too_long: 'Use at most {limit} characters.',
  email: 'Write a valid e-mail address, such as ana@example.com.',
  phone: 'Write the phone with its area code, or with + and the country code.',
  number: 'Write a number, such as 12 or 12.5.',
  date: 'Write a date that exists, such as 2026-12-31.',
  birth_date: 'The date of birth must be from 1900 until today.',
  option: 'Choose one of the options in the list.',
  several: 'Answer only once.',
};

const saying =
  (sentences: Readonly<Record<Problem['code'], string>>) =>
  ({ code, limit }: Problem): string =>
    sentences[code].replace('{limit}', String(limit ?? ''));

const PT: Texts = {
  lang: 'pt-BR',
  send: 'Enviar',
  choose: 'Escolha',
  requiredNote: 'Campos com * são obrigatórios.',
  required: 'obrigatório',
  thanksTitle: 'Recebemos sua resposta',
  thanks: 'Obrigado! Suas respostas foram enviadas.',
  errorWord: 'Erro',
  goesTo: (workspace) => `Suas respostas vão para ${workspace}.`,
  summary: (count) => (count === 1 ? 'Falta corrigir 1 campo' : `Falta corrigir ${count} campos`),
  phoneHint: 'Com DDD, por exemplo 11 98765-4321.',
  problem: saying(PROBLEMS_PT),
  honeypot: 'Deixe este campo vazio',
  expired:
    'O formulário mudou, ou esta página ficou aberta por muito tempo. Confira as respostas e envie outra vez.',
  tooMany:
    'Recebemos muitas respostas deste endereço agora. Espere um minuto e envie outra vez: o que você escreveu continua aqui.',
  refused: 'Não pudemos aceitar este envio. Confira as respostas e envie outra vez.',
  pages: {
    not_found: {
      title: 'Página não encontrada',
      text: 'Este formulário não existe ou já foi encerrado. Peça o endereço a quem o enviou.',
    },
    busy: {
      title: 'Tente outra vez em um minuto',
      text: 'Há muitos pedidos agora. Espere um pouco e abra a página outra vez.',
    },
    wrong: {
      title: 'Não foi possível',
      text: 'Este pedido não pôde ser lido. Abra o formulário outra vez e tente de novo.',
    },
  },
  reference: 'Referência',
};

const EN: Texts = {
  lang: 'en',
  send: 'Send',
  choose: 'Choose',
  requiredNote: 'Fields with * are required.',
  required: 'required',
  thanksTitle: 'We have your answers',
  thanks: 'Thank you! Your answers were sent.',
  errorWord: 'Error',
  goesTo: (workspace) => `Your answers go to ${workspace}.`,
  summary: (count) => (count === 1 ? '1 field needs a look' : `${count} fields need a look`),
  phoneHint: 'With its area code, or with + and the country code.',
  problem: saying(PROBLEMS_EN),
  honeypot: 'Leave this field empty',
  expired:
    'The form was changed, or this page was open for too long. Check your answers and send them again.',
  tooMany:
    'Many answers came from this address just now. Wait a minute and send again: what you wrote is still here.',
  refused: 'We could not accept this. Check your answers and send them again.',
  pages: {
    not_found: {
      title: 'Page not found',
      text: 'This form does not exist, or is closed. Ask the person who sent you the address.',
    },
    busy: {
      title: 'Try again in a minute',
      text: 'There are many requests just now. Wait a little and open the page again.',
    },
    wrong: {
      title: 'That did not work',
      text: 'This request could not be read. Open the form again and try once more.',
    },
  },
  reference: 'Reference',
};

const WITH_CODE: Readonly<Record<string, string>> = {
  [PT.lang]: 'Escreva com + e o código do país.',
  [EN.lang]: 'Write it with + and the country code.',
};

/** The page's language for a workspace's, or for the first of an `Accept-Language`; English for all others. */
export function textsFor(language: string): Texts {
  const texts = languageOf(language) === 'pt-BR' ? PT : EN;
  if (countryOf(language) !== null) return texts;
  const phoneHint = WITH_CODE[texts.lang] ?? '';
  const problem: Texts['problem'] = (one) =>
    one.code === 'phone' ? phoneHint : texts.problem(one);
  return { ...texts, phoneHint, problem };
}
