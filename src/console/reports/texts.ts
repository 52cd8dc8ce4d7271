import type { Dictionary } from '../../pages/language.ts';
import type { numbersReport } from '../../reports/numbers.ts';
import type { PERIODS } from '../../reports/period.ts';

type Reason = keyof Awaited<ReturnType<typeof numbersReport>>['reasons'];

/** The periods that need no dates. */
export const SPANS = [
  'today',
  '7d',
  '30d',
  '90d',
] as const satisfies readonly (typeof PERIODS)[number][];

interface Texts {
  readonly nav: string;
  readonly period: string;
  readonly spans: Readonly<Record<(typeof SPANS)[number], string>>;
  readonly range: (from: string, to: string) => string;
  readonly dates: string;
  readonly from: string;
  readonly to: string;
  readonly datesHint: string;
  /** What is wrong with them. */
  readonly badDates: Readonly<Record<'backwards' | 'future' | 'long', string>>;
  readonly show: string;
  readonly before: (value: string) => string;
  readonly asTable: string;
  readonly sending: string;
  readonly attempted: string;
  readonly delivered: string;
  readonly lost: string;
  readonly underWay: string;
  readonly reasons: Readonly<Record<Reason | 'other', string>>;
  readonly whyLost: string;
  readonly perDay: string;
  readonly day: string;
  readonly messages: string;
  readonly numbers: string;
  readonly number: string;
  readonly automations: string;
  readonly withoutAgent: string;
  readonly conversations: string;
  readonly aiReplies: string;
  readonly handedOver: string;
  readonly saved: string;
  readonly minutes: (count: string) => string;
  readonly automatedPerDay: string;
  readonly runs: readonly [string, string, string, string];
  readonly questions: string;
  readonly question: readonly [string, string];
  readonly nothing: string;
}

export const REPORTS: Dictionary<Texts> = {
  en: {
    nav: 'Reports',
    period: 'Period',
    spans: { today: 'today', '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    range: (from, to) => (from === to ? from : `${from} to ${to}`),
    dates: 'Other days',
    from: 'First day',
    to: 'Last day',
    datesHint: 'Not before the first day, nor after today; at most 366 days.',
    badDates: {
      backwards: 'The last day is before the first.',
      future: 'The last day has not come yet.',
      long: 'These are more than 366 days.',
    },
    show: 'Show these days',
    before: (value) => `${value} in the time before`,
    asTable: 'As a table',
    sending: 'Sending',
    attempted: 'Attempted',
    delivered: 'Delivered',
    lost: 'Lost',
    underWay: 'On the way, or not confirmed',
    reasons: {
      no_whatsapp: 'Not on WhatsApp',
      no_recipient: 'Could not be reached',
      throttled: 'Slowed down by WhatsApp',
      out_of_window: 'The 24 hours were over',
      other: 'Other reasons',
    },
    whyLost: 'Why messages were lost',
    perDay: 'Of each day’s messages, delivered',
    day: 'Day',
    messages: 'Messages',
    numbers: 'By number',
    number: 'Number',
    automations: 'Automations',
    withoutAgent: 'Without a person',
    conversations: 'Conversations handled',
    aiReplies: 'Answers by AI',
    handedOver: 'Handed to a person',
    saved: 'Time saved',
    minutes: (count) => `${count} min`,
    automatedPerDay: 'Automatic messages on each day',
    runs: ['Automation', 'Runs', 'Reached the goal', 'Failed'],
    questions: 'What people ask most',
    question: ['Question', 'Times'],
    nothing: 'Nothing in this time.',
  },
  'pt-BR': {
    nav: 'Relatórios',
    period: 'Período',
    spans: { today: 'hoje', '7d': '7 dias', '30d': '30 dias', '90d': '90 dias' },
    range: (from, to) => (from === to ? from : `${from} a ${to}`),
    dates: 'Outros dias',
    from: 'Primeiro dia',
    to: 'Último dia',
    datesHint: 'Nem antes do primeiro dia, nem depois de hoje; no máximo 366 dias.',
    badDates: {
      backwards: 'O último dia vem antes do primeiro.',
      future: 'O último dia ainda não chegou.',
      long: 'São mais de 366 dias.',
    },
    show: 'Mostrar estes dias',
    before: (value) => `${value} no período anterior`,
    asTable: 'Em tabela',
    sending: 'Envios',
    attempted: 'Tentativas de envio',
    delivered: 'Entregues',
    lost: 'Perdidas',
    underWay: 'A caminho, ou sem confirmação',
    reasons: {
      no_whatsapp: 'Não está no WhatsApp',
      no_recipient: 'Não foi alcançado',
      throttled: 'WhatsApp pediu para ir devagar',
      out_of_window: 'As 24 horas acabaram',
      other: 'Outros motivos',
    },
    whyLost: 'Por que se perderam',
    perDay: 'Das mensagens de cada dia, entregues',
    day: 'Dia',
    messages: 'Mensagens',
    numbers: 'Por número',
    number: 'Número',
    automations: 'Automações',
    withoutAgent: 'Sem uma pessoa',
    conversations: 'Conversas atendidas',
    aiReplies: 'Respostas por IA',
    handedOver: 'Passadas a uma pessoa',
    saved: 'Tempo poupado',
    minutes: (count) => `${count} min`,
    automatedPerDay: 'Mensagens automáticas por dia',
    runs: ['Automação', 'Execuções', 'Chegaram ao objetivo', 'Falharam'],
    questions: 'O que mais perguntam',
    question: ['Pergunta', 'Vezes'],
    nothing: 'Nada neste período.',
  },
};
