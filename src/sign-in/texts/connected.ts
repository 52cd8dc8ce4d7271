import type { Dictionary } from '../../pages/language.ts';

interface ConnectedTexts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly may: string;
  readonly lastUsed: (time: string) => string;
  readonly never: string;
  readonly notVerified: string;
  readonly disconnect: string;
  readonly sure: (app: string) => string;
  readonly pauses: (endpoints: string) => string;
  readonly disconnected: string;
}

export const CONNECTED: Dictionary<ConnectedTexts> = {
  en: {
    title: 'Connected apps',
    lead: 'These apps act for you. What you disconnect is shut out at its next call.',
    none: 'No app acts for you.',
    may: 'See what it may do',
    lastUsed: (time) => `last used ${time} UTC`,
    never: 'not used yet',
    notVerified: 'not verified',
    disconnect: 'Disconnect',
    sure: (app) =>
      `${app} must ask you again before it can act for you. Automations that it activated, and campaigns and reminders that it scheduled, go on.`,
    pauses: (endpoints) =>
      `These webhook endpoints were created through it and are paused: ${endpoints}. What happens is kept for them.`,
    disconnected: 'The app is disconnected.',
  },
  'pt-BR': {
    title: 'Aplicativos conectados',
    lead: 'Estes aplicativos agem por você. O que você desconecta é barrado já na próxima chamada.',
    none: 'Nenhum aplicativo age por você.',
    may: 'Ver o que ele pode',
    lastUsed: (time) => `último uso ${time} UTC`,
    never: 'ainda não usado',
    notVerified: 'não verificado',
    disconnect: 'Desconectar',
    sure: (app) =>
      `${app} terá de pedir outra vez antes de agir por você. As automações que ele ativou e as campanhas e os lembretes que agendou continuam.`,
    pauses: (endpoints) =>
      `Estes endpoints de webhook foram criados por ele e ficam pausados: ${endpoints}. O que acontecer fica guardado para eles.`,
    disconnected: 'O aplicativo foi desconectado.',
  },
};
