import type { Phrase } from '../../contacts/opt-outs/phrases.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly title: string;
  readonly lead: string;
  readonly columns: readonly string[];
  readonly effects: Readonly<Record<Phrase['effect'], string>>;
  readonly own: string;
  readonly common: string;
  readonly remove: string;
  readonly removed: (phrase: string) => string;
  readonly add: string;
  readonly added: (phrase: string) => string;
  readonly phrase: string;
  readonly hint: string;
  readonly effect: string;
}

export const PHRASES: Dictionary<Texts> = {
  en: {
    title: 'Opt-out phrases',
    lead: 'Whoever writes one of them opts out of your messages, or comes back. They count only as a whole message: “stop” within a sentence says nothing.',
    columns: ['Phrase', 'What it does', 'Whose it is', ''],
    effects: { out: 'Opts out', in: 'Comes back', none: 'Nothing: turned off here' },
    own: 'This workspace’s',
    common: 'Everybody’s',
    remove: 'Turn off',
    removed: (phrase) => `“${phrase}” says nothing any more.`,
    add: 'Add a phrase',
    added: (phrase) => `“${phrase}” is heard from now on.`,
    phrase: 'The whole message',
    hint: 'Case, accents and punctuation make no difference.',
    effect: 'Whoever writes it',
  },
  'pt-BR': {
    title: 'Frases de saída',
    lead: 'Quem escreve uma delas deixa de receber as suas mensagens, ou volta a receber. Valem só como mensagem inteira: “sair” no meio de uma frase não conta.',
    columns: ['Frase', 'O que faz', 'De quem é', ''],
    effects: { out: 'Deixa de receber', in: 'Volta a receber', none: 'Nada: desligada aqui' },
    own: 'Deste espaço de trabalho',
    common: 'De todos',
    remove: 'Desligar',
    removed: (phrase) => `“${phrase}” não vale mais.`,
    add: 'Adicionar frase',
    added: (phrase) => `“${phrase}” vale a partir de agora.`,
    phrase: 'A mensagem inteira',
    hint: 'Maiúsculas, acentos e pontuação não fazem diferença.',
    effect: 'Quem a escreve',
  },
};
