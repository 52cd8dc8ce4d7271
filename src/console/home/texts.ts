import type { Dictionary } from '../../pages/language.ts';

export const STEPS = ['number', 'key', 'endpoint', 'message'] as const;
export type Step = (typeof STEPS)[number];

interface Texts {
  readonly nav: string;
  readonly hello: (name: string) => string;
  readonly start: string;
  readonly done: string;
  readonly open: string;
  readonly steps: Readonly<Record<Step, { readonly title: string; readonly text: string }>>;
  readonly today: string;
  readonly attempted: string;
  readonly delivered: string;
  readonly lost: string;
  readonly reports: string;
  /** What stands before and behind the names. */
  readonly disconnected: readonly [before: string, behind: (numbers: number) => string];
  /** What stands before the names. */
  readonly unanswered: string;
  readonly moreUnanswered: string;
  /** What stands before and behind the name. */
  readonly paused: readonly [string, string];
  readonly morePaused: string;
  readonly failing: string;
}

export const HOME: Dictionary<Texts> = {
  en: {
    nav: 'Home',
    hello: (name) => `Hello, ${name}`,
    start: 'First steps',
    done: 'done',
    open: 'to do',
    steps: {
      number: {
        title: 'Connect a number',
        text: 'Everything is sent and received through a WhatsApp number of your workspace.',
      },
      key: {
        title: 'Create an API key',
        text: 'Your system calls the API with it. Give it only what it needs.',
      },
      endpoint: {
        title: 'Add a webhook endpoint',
        text: 'We tell your server what happens, signed, and try again for 24 hours.',
      },
      message: {
        title: 'Send a test message',
        text: 'Write to your number from your own phone and answer in the inbox, send an approved template on a contact’s page, or use your key with POST /api/v1/messages.',
      },
    },
    today: 'Today',
    attempted: 'Messages attempted',
    delivered: 'Delivered',
    lost: 'Lost',
    reports: 'See the reports',
    disconnected: [
      'Not connected:',
      (numbers) => `Nothing is sent through ${numbers === 1 ? 'it' : 'them'}.`,
    ],
    unanswered: 'Waiting, and nobody answers:',
    moreUnanswered: 'More are waiting in the inbox.',
    paused: ['The campaign', 'is paused.'],
    morePaused: 'More campaigns are paused.',
    failing: 'The webhook endpoint',
  },
  'pt-BR': {
    nav: 'Início',
    hello: (name) => `Olá, ${name}`,
    start: 'Primeiros passos',
    done: 'feito',
    open: 'a fazer',
    steps: {
      number: {
        title: 'Conecte um número',
        text: 'Tudo é enviado e recebido por um número de WhatsApp do seu espaço de trabalho.',
      },
      key: {
        title: 'Crie uma chave de API',
        text: 'Seu sistema chama a API com ela. Dê só o que ele precisa.',
      },
      endpoint: {
        title: 'Adicione um endpoint de webhook',
        text: 'Avisamos seu servidor do que acontece, com assinatura, e tentamos de novo por 24 horas.',
      },
      message: {
        title: 'Envie uma mensagem de teste',
        text: 'Escreva do seu telefone para o seu número e responda na caixa de entrada, envie um modelo aprovado na página de um contato, ou use sua chave com POST /api/v1/messages.',
      },
    },
    today: 'Hoje',
    attempted: 'Tentativas de envio',
    delivered: 'Entregues',
    lost: 'Perdidas',
    reports: 'Ver os relatórios',
    disconnected: [
      'Sem conexão:',
      (numbers) => `Nada é enviado por ${numbers === 1 ? 'ele' : 'eles'}.`,
    ],
    unanswered: 'Esperam, e ninguém responde:',
    moreUnanswered: 'Há mais gente esperando na caixa de entrada.',
    paused: ['A campanha', 'está pausada.'],
    morePaused: 'Há mais campanhas pausadas.',
    failing: 'O endpoint de webhook',
  },
};
