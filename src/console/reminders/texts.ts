import type { Dictionary } from '../../pages/language.ts';
import type {
  CANCEL_REASONS,
  REMINDER_STATUSES,
  REPEATS,
  RUN_STATUSES,
} from '../../reminders/rules.ts';

interface Texts {
  readonly nav: string;
  readonly create: string;
  readonly none: string;
  readonly all: string;
  readonly status: string;
  readonly statuses: Readonly<Record<(typeof REMINDER_STATUSES)[number], string>>;
  readonly columns: readonly [string, string, string, string];
  readonly repeats: Readonly<Record<(typeof REPEATS)[number], string>>;
  readonly title: string;
  readonly number: string;
  readonly window: (numbers: string) => string;
  readonly audience: string;
  readonly onePhone: string;
  readonly oneContact: string;
  readonly birthdays: string;
  readonly birthdaysIn: (name: string) => string;
  readonly phone: string;
  readonly phoneHint: string;
  readonly gone: string;
  readonly text: string;
  readonly textHint: string;
  readonly transactional: string;
  readonly transactionalHint: string;
  readonly repeat: string;
  readonly date: string;
  readonly dateHint: string;
  readonly weekday: string;
  readonly monthDay: string;
  readonly monthDayHint: string;
  readonly time: string;
  readonly timeZone: string;
  readonly timeZoneHint: string;
  readonly endsOn: string;
  readonly endsOnHint: string;
  readonly save: string;
  readonly created: string;
  readonly edit: string;
  readonly editLead: string;
  readonly over: string;
  readonly saved: string;
  readonly nothingToSend: string;
  readonly next: string;
  readonly cancel: string;
  readonly cancelLead: string;
  readonly cancelled: string;
  readonly cancelReasons: Readonly<Record<(typeof CANCEL_REASONS)[number], string>>;
  readonly runs: string;
  readonly noRuns: string;
  readonly runOf: (time: string) => string;
  readonly runColumns: readonly [string, string, string, string, string, string];
  readonly runStatuses: Readonly<Record<(typeof RUN_STATUSES)[number], string>>;
  /** What a run says of people otherwise than a campaign. */
  readonly reasons: Readonly<Record<'no_recipient' | 'missed', string>>;
}

export const REMINDERS: Dictionary<Texts> = {
  en: {
    nav: 'Reminders',
    create: 'Write a reminder',
    none: 'No reminder here.',
    all: 'all',
    status: 'Status',
    statuses: { active: 'active', done: 'done', cancelled: 'cancelled' },
    columns: ['Title', 'Status', 'Repeats', 'Next'],
    repeats: {
      once: 'once',
      daily: 'every day',
      weekdays: 'Monday to Friday',
      weekly: 'every week',
      monthly: 'every month',
      yearly: 'every year',
    },
    title: 'Title',
    number: 'Sent by',
    window: (numbers) =>
      `By ${numbers} only groups and whoever wrote there in the last 24 hours get it: WhatsApp takes no free text for others.`,
    audience: 'To whom',
    onePhone: 'One phone, given below',
    oneContact: 'One contact, given below',
    birthdays: 'Everybody, on their birthday (every year)',
    birthdaysIn: (name) => `On their birthday: ${name}`,
    phone: 'Phone',
    phoneHint: 'With + and the country code.',
    gone: 'a contact that was deleted',
    text: 'Message',
    textHint:
      'Variables: {{name}}, {{first_name}}, {{custom.<key>}}; for groups only {{name}}. In {{name|friend}}, what follows the bar stands where it is empty.',
    transactional: 'Also to people who want no messages',
    transactionalHint: 'Only for what they have to know, such as an appointment of theirs.',
    repeat: 'Repeats',
    date: 'Day',
    dateHint: 'For every day it may stay empty.',
    weekday: 'Day of the week',
    monthDay: 'Day of the month',
    monthDayHint: '1 to 31. In a shorter month it is the last day.',
    time: 'Time',
    timeZone: 'Time zone',
    timeZoneHint: 'Whose clocks count, as America/Sao_Paulo.',
    endsOn: 'Ends on',
    endsOnHint: 'The last day on which it may be sent; empty for no end.',
    save: 'Save the reminder',
    created: 'The reminder is saved. It sends by itself from now on.',
    edit: 'Change the reminder',
    editLead: 'A change of when counts from now on.',
    over: 'This reminder is over: only active ones can be changed.',
    saved: 'The reminder is changed.',
    nothingToSend:
      'A reminder needs a connected number. Whoever operates this service connects one.',
    next: 'Next time',
    cancel: 'Cancel the reminder',
    cancelLead: 'It sends nothing any more. Its runs stay to be seen.',
    cancelled: 'The reminder is cancelled.',
    cancelReasons: {
      requested: 'Somebody cancelled it.',
      target_removed: 'It was cancelled by itself: whom it was for is no longer there.',
    },
    runs: 'What was sent',
    noRuns: 'Nothing yet.',
    runOf: (time) => `What was sent on ${time}`,
    runColumns: ['For', 'Result', 'People', 'Sent', 'Failed', 'Why not'],
    runStatuses: {
      running: 'running',
      sent: 'sent',
      partial: 'partly sent',
      failed: 'failed',
      skipped: 'left out',
      missed: 'missed',
    },
    reasons: { no_recipient: 'could not be reached', missed: 'too late' },
  },
  'pt-BR': {
    nav: 'Lembretes',
    create: 'Escrever um lembrete',
    none: 'Nenhum lembrete aqui.',
    all: 'todos',
    status: 'Situação',
    statuses: { active: 'ativo', done: 'concluído', cancelled: 'cancelado' },
    columns: ['Título', 'Situação', 'Repete', 'Próximo'],
    repeats: {
      once: 'uma vez',
      daily: 'todo dia',
      weekdays: 'de segunda a sexta',
      weekly: 'toda semana',
      monthly: 'todo mês',
      yearly: 'todo ano',
    },
    title: 'Título',
    number: 'Enviado por',
    window: (numbers) =>
      `Por ${numbers} só recebem os grupos e quem escreveu ali nas últimas 24 horas: o WhatsApp não aceita texto livre para os outros.`,
    audience: 'Para quem',
    onePhone: 'Um telefone, dado abaixo',
    oneContact: 'Um contato, dado abaixo',
    birthdays: 'Todos, no aniversário (todo ano)',
    birthdaysIn: (name) => `No aniversário: ${name}`,
    phone: 'Telefone',
    phoneHint: 'Com + e código do país.',
    gone: 'um contato que foi apagado',
    text: 'Mensagem',
    textHint:
      'Variáveis: {{name}}, {{first_name}}, {{custom.<chave>}}; para grupos só {{name}}. Em {{name|cliente}}, o que segue a barra vale quando está vazia.',
    transactional: 'Também a quem não quer mensagens',
    transactionalHint: 'Só para o que a pessoa precisa saber, como um horário marcado.',
    repeat: 'Repete',
    date: 'Dia',
    dateHint: 'Para todo dia pode ficar vazio.',
    weekday: 'Dia da semana',
    monthDay: 'Dia do mês',
    monthDayHint: 'De 1 a 31. Em um mês mais curto é o último dia.',
    time: 'Hora',
    timeZone: 'Fuso horário',
    timeZoneHint: 'De quem são os relógios, como America/Sao_Paulo.',
    endsOn: 'Termina em',
    endsOnHint: 'O último dia em que pode sair; vazio para não terminar.',
    save: 'Salvar o lembrete',
    created: 'O lembrete foi salvo. A partir de agora ele envia sozinho.',
    edit: 'Mudar o lembrete',
    editLead: 'Uma mudança de quando vale a partir de agora.',
    over: 'Este lembrete acabou: só os ativos podem ser mudados.',
    saved: 'O lembrete foi mudado.',
    nothingToSend:
      'Um lembrete precisa de um número conectado. Quem opera este serviço conecta um.',
    next: 'Próxima vez',
    cancel: 'Cancelar o lembrete',
    cancelLead: 'Não envia mais nada. O que enviou continua à vista.',
    cancelled: 'O lembrete foi cancelado.',
    cancelReasons: {
      requested: 'Alguém o cancelou.',
      target_removed: 'Foi cancelado sozinho: para quem era não existe mais.',
    },
    runs: 'O que foi enviado',
    noRuns: 'Nada ainda.',
    runOf: (time) => `O que foi enviado em ${time}`,
    runColumns: ['Para', 'Resultado', 'Pessoas', 'Enviadas', 'Falharam', 'Por que não'],
    runStatuses: {
      running: 'em andamento',
      sent: 'enviado',
      partial: 'em parte',
      failed: 'falhou',
      skipped: 'deixado de fora',
      missed: 'perdido',
    },
    reasons: { no_recipient: 'não foi possível alcançar', missed: 'tarde demais' },
  },
};
