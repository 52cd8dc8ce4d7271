import type { Followed } from '../../automations/simulation/following.ts';
import type { Dictionary } from '../../pages/language.ts';

interface SimulationTexts {
  readonly title: string;
  readonly lead: string;
  readonly contact: string;
  readonly message: string;
  readonly messageHint: string;
  readonly first: string;
  readonly replies: string;
  readonly repliesHint: string;
  readonly line: (number: number) => string;
  readonly start: string;
  readonly outcome: string;
  readonly stoppedBy: Readonly<Record<NonNullable<Followed['stoppedBy']>, string>>;
  readonly unheard: (count: string) => string;
  readonly conversation: string;
  readonly nothingSaid: string;
  readonly theirs: string;
  readonly ours: string;
  readonly steps: string;
  readonly columns: readonly [string, string, string, string, string];
}

export const SIMULATION: Dictionary<SimulationTexts> = {
  en: {
    title: 'Try it',
    lead: 'The draft runs against an invented person, and its waits take no time. Nothing is sent or kept; other servers and the AI are not asked.',
    contact: 'Name of the person',
    message: 'What the person writes first',
    messageHint: 'Empty where something else than a message starts it.',
    first: 'Hi',
    replies: 'What the person answers',
    repliesHint:
      'One answer a line, each a minute after the one before. A line may say when, counted from the beginning: P1D yes, thank you.',
    line: (number) => `line ${number}`,
    start: 'Run it',
    outcome: 'How it went',
    stoppedBy: {
      steps: 'It was followed no further: it took 200 steps.',
      looks: 'It was followed no further: its waits took 600 looks at the clock.',
    },
    unheard: (count) => `Replies that no step waited for: ${count}.`,
    conversation: 'The conversation',
    nothingSaid: 'No one said anything.',
    theirs: 'the person',
    ours: 'the automation',
    steps: 'Steps',
    columns: ['Step', 'Type', 'Status', 'Began', 'Went on with'],
  },
  'pt-BR': {
    title: 'Experimentar',
    lead: 'O rascunho corre com uma pessoa inventada, e as esperas não levam tempo. Nada é enviado nem guardado; outros servidores e a IA não são chamados.',
    contact: 'Nome da pessoa',
    message: 'O que a pessoa escreve primeiro',
    messageHint: 'Vazio quando não é uma mensagem que a inicia.',
    first: 'Oi',
    replies: 'O que a pessoa responde',
    repliesHint:
      'Uma resposta por linha, cada uma um minuto depois da anterior. A linha pode dizer quando, a partir do começo: P1D sim, obrigada.',
    line: (number) => `linha ${number}`,
    start: 'Executar',
    outcome: 'Como foi',
    stoppedBy: {
      steps: 'Não foi seguida adiante: deu 200 passos.',
      looks: 'Não foi seguida adiante: as esperas levaram 600 olhadas no relógio.',
    },
    unheard: (count) => `Respostas que ninguém esperava: ${count}.`,
    conversation: 'A conversa',
    nothingSaid: 'Ninguém disse nada.',
    theirs: 'a pessoa',
    ours: 'a automação',
    steps: 'Passos',
    columns: ['Passo', 'Tipo', 'Situação', 'Começou', 'Seguiu com'],
  },
};
