import type { Verification } from '../../oauth/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly none: string;
  readonly add: string;
  readonly columns: readonly [string, string, string, string];
  readonly states: Readonly<Record<Verification, string>>;
  readonly never: string;
  readonly name: string;
  readonly nameHint: string;
  readonly uris: string;
  readonly urisHint: string;
  readonly scopes: string;
  readonly created: string;
  readonly secretOnce: string;
  readonly secretLabel: string;
  readonly clientId: string;
  readonly secret: string;
  readonly previous: (until: string) => string;
  readonly verification: string;
  readonly lastUsed: string;
  readonly save: string;
  readonly saved: string;
  readonly rotate: string;
  readonly rotateLead: string;
  readonly endsPrevious: (until: string) => string;
  readonly stopPrevious: string;
  readonly signInFirst: string;
  readonly rotated: string;
  readonly keepsReview: string;
  readonly review: string;
  readonly reviewLead: string;
  readonly dataUse: string;
  readonly reviewAsked: string;
  readonly refused: (note: string) => string;
  readonly remove: string;
  readonly removeLead: string;
  readonly removed: string;
}

export const APPS: Dictionary<Texts> = {
  en: {
    nav: 'OAuth apps',
    lead: 'An app acts for a person who allowed it to, and never beyond what that person may do.',
    none: 'No app yet.',
    add: 'Create an app',
    columns: ['Name', 'Client id', 'Verification', 'Last used'],
    states: {
      unverified: 'unverified',
      in_review: 'in review',
      verified: 'verified',
      rejected: 'refused',
    },
    never: 'never',
    name: 'Name',
    nameHint: 'People read it when they are asked whether they allow the app.',
    uris: 'Redirect URIs',
    urisHint: 'One a line, 1 to 10: https, or http on localhost, 127.0.0.1 or [::1].',
    scopes: 'What it may ask for',
    created: 'The app is ready.',
    secretOnce: 'Copy the secret now: it is shown this once.',
    secretLabel: 'The client secret',
    clientId: 'Client id',
    secret: 'Secret',
    previous: (until) => `the one before works until ${until}`,
    verification: 'Verification',
    lastUsed: 'Last used',
    save: 'Save',
    saved: 'Saved.',
    rotate: 'Rotate the secret',
    rotateLead: 'You get a new secret. The present one works for 24 hours more.',
    endsPrevious: (until) => `The one before it, which works until ${until}, ends with that.`,
    stopPrevious: 'Stop the present secret at once',
    signInFirst: 'This needs a sign-in of the last 10 minutes. Sign in again first.',
    rotated: 'The new secret works.',
    keepsReview: 'Another name or a new redirect domain makes the app unverified again.',
    review: 'Ask for verification',
    reviewLead:
      'Until it is verified, an app may connect to its own workspace and 10 more, and people read that nobody looked at it.',
    dataUse: 'How does the app use data?',
    reviewAsked: 'Our team looks at the app and answers.',
    refused: (note) => `The last review was refused: ${note}`,
    remove: 'Delete the app',
    removeLead:
      'Every connection of it, in every workspace, ends with the next call. This cannot be taken back.',
    removed: 'The app is deleted.',
  },
  'pt-BR': {
    nav: 'Apps OAuth',
    lead: 'Um app age por uma pessoa que permitiu, e nunca além do que essa pessoa pode fazer.',
    none: 'Nenhum app ainda.',
    add: 'Criar um app',
    columns: ['Nome', 'Id do cliente', 'Verificação', 'Último uso'],
    states: {
      unverified: 'não verificado',
      in_review: 'em análise',
      verified: 'verificado',
      rejected: 'recusado',
    },
    never: 'nunca',
    name: 'Nome',
    nameHint: 'As pessoas leem o nome quando o app pede permissão.',
    uris: 'Endereços de retorno',
    urisHint: 'Um por linha, de 1 a 10: https, ou http em localhost, 127.0.0.1 ou [::1].',
    scopes: 'O que ele pode pedir',
    created: 'O app está pronto.',
    secretOnce: 'Copie o segredo agora: ele aparece só desta vez.',
    secretLabel: 'O segredo do app',
    clientId: 'Id do cliente',
    secret: 'Segredo',
    previous: (until) => `o anterior vale até ${until}`,
    verification: 'Verificação',
    lastUsed: 'Último uso',
    save: 'Salvar',
    saved: 'Salvo.',
    rotate: 'Trocar o segredo',
    rotateLead: 'Você recebe um segredo novo. O atual vale por mais 24 horas.',
    endsPrevious: (until) => `O anterior a ele, que vale até ${until}, deixa de valer com isso.`,
    stopPrevious: 'Parar o segredo atual agora',
    signInFirst: 'Isto pede uma entrada dos últimos 10 minutos. Entre outra vez antes.',
    rotated: 'O segredo novo já vale.',
    keepsReview:
      'Com outro nome ou um domínio de redirecionamento novo, o app deixa de ser verificado.',
    review: 'Pedir verificação',
    reviewLead:
      'Até ser verificado, um app se conecta ao próprio espaço de trabalho e a mais 10, e as pessoas leem que ninguém o analisou.',
    dataUse: 'Como o app usa os dados?',
    reviewAsked: 'Nossa equipe analisa o app e responde.',
    refused: (note) => `A última análise foi recusada: ${note}`,
    remove: 'Apagar o app',
    removeLead:
      'Toda conexão dele, em todo espaço de trabalho, acaba na próxima chamada. Não há como desfazer.',
    removed: 'O app foi apagado.',
  },
};

interface ConnectionTexts {
  readonly nav: string;
  readonly lead: string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string, string, string];
  readonly registered: string;
  readonly never: string;
  readonly disconnect: string;
  readonly disconnectLead: (app: string, person: string) => string;
  readonly pauses: (endpoints: string) => string;
  readonly disconnected: string;
}

export const CONNECTIONS: Dictionary<ConnectionTexts> = {
  en: {
    nav: 'Connected apps',
    lead: 'Apps that act for people of this workspace.',
    none: 'No app is connected.',
    columns: ['App', 'Acts for', 'May', 'Since', 'Last call', ''],
    registered: 'registered by itself',
    never: 'none yet',
    disconnect: 'Disconnect',
    disconnectLead: (app, person) =>
      `From the next call on “${app}” may do nothing more for ${person}. It can ask again. Automations that it activated, and campaigns and reminders that it scheduled, go on.`,
    pauses: (endpoints) =>
      `These webhook endpoints were created through it and are paused: ${endpoints}. What happens is kept for them.`,
    disconnected: 'The app is disconnected.',
  },
  'pt-BR': {
    nav: 'Apps conectados',
    lead: 'Apps que agem por pessoas deste espaço de trabalho.',
    none: 'Nenhum app está conectado.',
    columns: ['App', 'Age por', 'Pode', 'Desde', 'Última chamada', ''],
    registered: 'registrou-se sozinho',
    never: 'nenhuma ainda',
    disconnect: 'Desconectar',
    disconnectLead: (app, person) =>
      `A partir da próxima chamada “${app}” não faz mais nada por ${person}. Ele pode pedir de novo. As automações que ele ativou e as campanhas e os lembretes que agendou continuam.`,
    pauses: (endpoints) =>
      `Estes endpoints de webhook foram criados por ele e ficam pausados: ${endpoints}. O que acontecer fica guardado para eles.`,
    disconnected: 'O app foi desconectado.',
  },
};
