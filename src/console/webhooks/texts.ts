import type { WebhookEventType } from '../../outbox/events.ts';
import type { Dictionary } from '../../pages/language.ts';
import type { EndpointStatus } from '../../webhooks/rules.ts';
import type { FailingView } from './views.ts';

export interface FailingTexts {
  readonly badge: string;
  /** Stands behind the endpoint's name. */
  readonly says: string;
}

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly quota: (used: string, limit: string, plan: string) => string;
  readonly none: string;
  readonly add: string;
  readonly columns: readonly [string, string, string, string];
  readonly states: Readonly<Record<EndpointStatus, string>>;
  readonly failing: Readonly<Record<FailingView['trouble'], (cause: string) => FailingTexts>>;
  readonly name: string;
  readonly nameHint: string;
  readonly url: string;
  readonly urlHint: string;
  readonly urlFine: string;
  readonly events: string;
  readonly noEvents: string;
  readonly sample: string;
  readonly happens: Readonly<Record<WebhookEventType, string>>;
  readonly created: string;
  readonly secretOnce: string;
  readonly secretLabel: string;
  readonly verify: string;
  readonly guide: string;
  readonly edit: string;
  readonly save: string;
  readonly saved: string;
  readonly pause: string;
  readonly paused: string;
  readonly pausedNote: string;
  readonly resume: string;
  readonly resumed: string;
  readonly rotate: string;
  readonly rotateLead: string;
  readonly endsPrevious: (until: string) => string;
  readonly rotated: (until: string) => string;
  readonly rotatedAlone: string;
  readonly test: string;
  readonly testType: string;
  readonly tested: string;
  readonly testHeld: string;
  readonly resendAll: string;
  readonly resendAllLead: string;
  readonly resentAll: (count: string) => string;
  readonly resendsHeld: (count: string) => string;
  readonly resend: string;
  readonly resent: string;
  readonly resendHeld: string;
  readonly remove: string;
  readonly removeLead: string;
  readonly removed: string;
  readonly address: string;
  readonly createdAt: string;
  readonly throughApp: string;
}

export const WEBHOOKS: Dictionary<Texts> = {
  en: {
    nav: 'Webhooks',
    lead: 'We tell your server what happens. Each delivery is signed and tried for 24 hours.',
    quota: (used, limit, plan) => `${used} of ${limit} endpoints on ${plan}`,
    none: 'No endpoint yet.',
    add: 'Add an endpoint',
    columns: ['Name', 'Address', 'Events', 'Status'],
    states: { active: 'active', paused: 'paused' },
    failing: {
      held: () => ({
        badge: 'partly held',
        says: 'is partly held: our operators have stopped what had gathered for it. What is new goes out; resume it to send the rest, oldest first.',
      }),
      silent: () => ({
        badge: 'receives nothing',
        says: 'receives nothing any more: whoever made it has left or is suspended, and did not see the whole workspace. Make it anew, or let the person in again.',
      }),
      refusing: (code) => ({
        badge: `answers ${code}`,
        says: `answers ${code}. Its events are kept, and tried again for 24 hours.`,
      }),
      unanswered: (error) => ({
        badge: 'does not answer',
        says: `does not answer${error && ` (${error})`}. Its events are kept, and tried again for 24 hours.`,
      }),
      blocked: () => ({
        badge: 'blocked',
        says: 'is blocked: its address leads nowhere, or to a private network. What happens is not tried again: correct the address, then resend all that fail.',
      }),
      unsigned: () => ({
        badge: 'not signed',
        says: 'gets nothing, by a fault of ours: most likely we can no longer sign for it. Rotate its secret and give your server the new one, then resend all that fail.',
      }),
    },
    name: 'Name',
    nameHint: 'For you: which server or use it is.',
    url: 'Address',
    urlHint: 'A public address that begins with https://.',
    urlFine: 'This address can be used.',
    events: 'Events',
    noEvents: 'Tick at least one event.',
    sample: 'Example',
    happens: {
      'message.received': 'A person wrote.',
      'message.sent':
        'A message left: from a person, an automation, a campaign, a reminder or the API.',
      'conversation.closed': 'A conversation was closed.',
      'contact.created': 'A contact was created.',
      'stage.changed': 'A deal moved to another stage, or was created.',
      'automation.failed': 'A run of an automation failed.',
    },
    created: 'The endpoint is ready.',
    secretOnce: 'Copy the secret now: it is shown this once.',
    secretLabel: 'The secret',
    verify: 'Verify deliveries with it:',
    guide: 'How receiving works',
    edit: 'Change',
    save: 'Save',
    saved: 'Saved.',
    pause: 'Pause',
    paused: 'The endpoint is paused. Nothing is lost: what happens meanwhile waits for it.',
    pausedNote: 'It is paused: what happens waits here and goes out when you resume, oldest first.',
    resume: 'Resume',
    resumed: 'The endpoint is active again. Everything that waited goes out, oldest first.',
    rotate: 'Rotate the secret',
    rotateLead:
      'You get a new secret. For 24 hours the present one signs as well, so that your server can change in peace.',
    endsPrevious: (until) =>
      `The one before it, which signs until ${until} and may be the one that your server knows, stops at once.`,
    rotated: (until) => `The new secret signs. The one before does so too until ${until}.`,
    rotatedAlone: 'The new secret signs alone, from now on.',
    test: 'Send an example',
    testType: 'Event',
    tested: 'The example is on its way.',
    testHeld: 'The example waits until the endpoint is resumed.',
    resendAll: 'Resend all that fail',
    resendAllLead: 'Everything that failed, is blocked or being retried is sent again at once.',
    resentAll: (count) => `Sent again: ${count}.`,
    resendsHeld: (count) => `To be sent again once it is resumed: ${count}.`,
    resend: 'Resend',
    resent: 'It is sent again.',
    resendHeld: 'It waits until the endpoint is resumed.',
    remove: 'Delete',
    removeLead:
      'Nothing is sent to it any more, and what waits is given up. This cannot be taken back.',
    removed: 'The endpoint is deleted.',
    address: 'Address',
    createdAt: 'Created',
    throughApp: 'Through the app',
  },
  'pt-BR': {
    nav: 'Webhooks',
    lead: 'Avisamos seu servidor do que acontece. Cada entrega é assinada e tentada por 24 horas.',
    quota: (used, limit, plan) => `${used} de ${limit} endpoints no ${plan}`,
    none: 'Nenhum endpoint ainda.',
    add: 'Adicionar um endpoint',
    columns: ['Nome', 'Endereço', 'Eventos', 'Situação'],
    states: { active: 'ativo', paused: 'pausado' },
    failing: {
      held: () => ({
        badge: 'em parte retido',
        says: 'está em parte retido: nossos operadores pararam o que tinha se acumulado para ele. O que é novo sai; retome-o para enviar o resto, em ordem.',
      }),
      silent: () => ({
        badge: 'não recebe nada',
        says: 'não recebe mais nada: quem o criou saiu ou está suspenso, e não via todo o espaço. Crie-o de novo, ou deixe a pessoa entrar de novo.',
      }),
      refusing: (code) => ({
        badge: `responde ${code}`,
        says: `responde ${code}. Os eventos ficam guardados e são tentados de novo por 24 horas.`,
      }),
      unanswered: (error) => ({
        badge: 'não responde',
        says: `não responde${error && ` (${error})`}. Os eventos ficam guardados e são tentados de novo por 24 horas.`,
      }),
      blocked: () => ({
        badge: 'bloqueado',
        says: 'está bloqueado: o endereço não leva a lugar nenhum, ou leva a uma rede privada. O que acontece não é tentado de novo: corrija o endereço e reenvie tudo o que falha.',
      }),
      unsigned: () => ({
        badge: 'sem assinatura',
        says: 'não recebe nada, por falha nossa: é provável que não consigamos mais assinar para ele. Troque o segredo, dê o novo ao seu servidor e reenvie tudo o que falha.',
      }),
    },
    name: 'Nome',
    nameHint: 'Para você: qual servidor ou uso é este.',
    url: 'Endereço',
    urlHint: 'Um endereço público que começa com https://.',
    urlFine: 'Este endereço pode ser usado.',
    events: 'Eventos',
    noEvents: 'Marque pelo menos um evento.',
    sample: 'Exemplo',
    happens: {
      'message.received': 'Uma pessoa escreveu.',
      'message.sent': 'Uma mensagem saiu: de uma pessoa, automação, campanha, lembrete ou da API.',
      'conversation.closed': 'Uma conversa foi encerrada.',
      'contact.created': 'Um contato foi criado.',
      'stage.changed': 'Um negócio mudou de etapa, ou foi criado.',
      'automation.failed': 'Uma execução de automação falhou.',
    },
    created: 'O endpoint está pronto.',
    secretOnce: 'Copie o segredo agora: ele aparece só desta vez.',
    secretLabel: 'O segredo',
    verify: 'Verifique as entregas com ele:',
    guide: 'Como funciona o recebimento',
    edit: 'Mudar',
    save: 'Salvar',
    saved: 'Salvo.',
    pause: 'Pausar',
    paused: 'O endpoint está pausado. Nada se perde: o que acontecer espera por ele.',
    pausedNote: 'Está pausado: o que acontece espera aqui e sai quando você retomar, em ordem.',
    resume: 'Retomar',
    resumed: 'O endpoint está ativo outra vez. Tudo o que esperava sai, em ordem.',
    rotate: 'Trocar o segredo',
    rotateLead:
      'Você recebe um segredo novo. Por 24 horas o atual também assina, para seu servidor mudar com calma.',
    endsPrevious: (until) =>
      `O anterior a ele, que assina até ${until} e talvez seja o que seu servidor conhece, para na hora.`,
    rotated: (until) => `O segredo novo já assina. O anterior também assina até ${until}.`,
    rotatedAlone: 'A partir de agora só o segredo novo assina.',
    test: 'Enviar um exemplo',
    testType: 'Evento',
    tested: 'O exemplo está a caminho.',
    testHeld: 'O exemplo espera até o endpoint ser retomado.',
    resendAll: 'Reenviar tudo o que falha',
    resendAllLead:
      'Tudo o que falhou, foi bloqueado ou está em nova tentativa sai outra vez agora.',
    resentAll: (count) => `Reenviadas: ${count}.`,
    resendsHeld: (count) => `A reenviar quando ele for retomado: ${count}.`,
    resend: 'Reenviar',
    resent: 'Sai outra vez.',
    resendHeld: 'Espera até o endpoint ser retomado.',
    remove: 'Apagar',
    removeLead: 'Nada mais é enviado a ele, e o que espera é abandonado. Não há como desfazer.',
    removed: 'O endpoint foi apagado.',
    address: 'Endereço',
    createdAt: 'Criado em',
    throughApp: 'Pelo app',
  },
};
