import type { Scope } from '../../access/scopes.ts';
import type { KeyStatus, Lifetime } from '../../api-keys/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

export const AREAS = [
  'conversations',
  'contacts',
  'campaigns',
  'automations',
  'pipelines',
  'forms',
  'workspace',
  'webhooks',
] as const;
export type Area = (typeof AREAS)[number];

/** The group in which each scope is shown. A scope missing here does not compile. */
export const AREA_OF: Readonly<Record<Scope, Area>> = {
  'conversations:read': 'conversations',
  'conversations:write': 'conversations',
  'messages:read': 'conversations',
  'messages:write': 'conversations',
  'groups:read': 'conversations',
  'groups:write': 'conversations',
  'contacts:read': 'contacts',
  'contacts:write': 'contacts',
  'segments:read': 'contacts',
  'segments:write': 'contacts',
  'campaigns:read': 'campaigns',
  'campaigns:write': 'campaigns',
  'campaigns:send': 'campaigns',
  'automations:read': 'automations',
  'automations:write': 'automations',
  'reminders:read': 'automations',
  'reminders:write': 'automations',
  'pipelines:read': 'pipelines',
  'pipelines:write': 'pipelines',
  'forms:read': 'forms',
  'forms:write': 'forms',
  'numbers:read': 'workspace',
  'numbers:write': 'workspace',
  'members:read': 'workspace',
  'webhooks:read': 'webhooks',
  'webhooks:write': 'webhooks',
};

export const PRESETS = ['read', 'messages', 'webhooks'] as const;
export type Preset = (typeof PRESETS)[number];

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly create: string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string, string, string];
  readonly status: Readonly<Record<KeyStatus, string>>;
  readonly expiring: string;
  readonly never: string;
  readonly unused: string;
  readonly from: string;
  readonly revoke: string;
  readonly revokeLead: (name: string) => string;
  readonly goesOn: string;
  readonly lastUsed: (when: string) => string;
  readonly neverUsed: string;
  readonly revoked: string;
  readonly created: (name: string) => string;
  readonly once: string;
  readonly tryIt: string;
  readonly keyLabel: string;
  readonly commandLabel: string;
  readonly name: string;
  readonly nameHint: string;
  readonly lifetime: string;
  readonly lifetimes: Readonly<Record<Lifetime, string>>;
  readonly start: string;
  readonly presets: Readonly<Record<Preset, string>>;
  readonly scopes: string;
  readonly scopesHint: string;
  readonly areas: Readonly<Record<Area, string>>;
  /** A sentence for each: what the key can do. */
  readonly says: Readonly<Record<Scope, string>>;
}

export const KEYS: Dictionary<Texts> = {
  en: {
    nav: 'API keys',
    lead: 'Your systems call the API with a key. It acts for the whole workspace, within its scopes.',
    create: 'Create a key',
    none: 'No key yet.',
    columns: ['Name', 'Key', 'May', 'Status', 'Last used', ''],
    status: { active: 'active', expired: 'expired', revoked: 'revoked' },
    expiring: 'expires soon',
    never: 'never expires',
    unused: 'never used',
    from: 'from',
    revoke: 'Revoke',
    revokeLead: (name) =>
      `Whatever uses “${name}” is refused from the next call on. This cannot be taken back.`,
    goesOn:
      'What was made or changed with it goes on: webhook endpoints, automations, scheduled campaigns and reminders. Look through them if it was stolen.',
    lastUsed: (when) => `It was last used on ${when}.`,
    neverUsed: 'It was never used.',
    revoked: 'The key is revoked.',
    created: (name) => `The key “${name}” is ready.`,
    once: 'Copy it now: it is shown this once.',
    tryIt: 'Try it:',
    keyLabel: 'The new API key',
    commandLabel: 'A command that uses the key',
    name: 'Name',
    nameHint: 'Which system uses it. It stands in the audit log.',
    lifetime: 'Expires after',
    lifetimes: { '30d': '30 days', '90d': '90 days', '1y': 'one year', never: 'never' },
    start: 'Start with:',
    presets: {
      read: 'read everything',
      messages: 'send and receive messages',
      webhooks: 'manage webhooks',
    },
    scopes: 'What it may do',
    scopesHint: 'Tick only what the system needs.',
    areas: {
      conversations: 'Conversations',
      contacts: 'Contacts and segments',
      campaigns: 'Campaigns',
      automations: 'Automations and reminders',
      pipelines: 'Pipelines',
      forms: 'Forms',
      workspace: 'Numbers and people',
      webhooks: 'Webhooks',
    },
    says: {
      'conversations:read': 'See conversations and who takes care of them.',
      'conversations:write': 'Transfer, close and reopen conversations.',
      'messages:read': 'Read the messages of conversations.',
      'messages:write': 'Send messages to people.',
      'groups:read': 'See groups and how many people are in them.',
      'groups:write': 'Send messages to groups.',
      'contacts:read': 'See contacts with their phone, e-mail and fields.',
      'contacts:write':
        'Create, import, change, merge and delete contacts, with everything said to them.',
      'segments:read': 'See segments and who is in them.',
      'segments:write': 'Create and delete segments.',
      'campaigns:read': 'See campaigns and their results.',
      'campaigns:write': 'Write, change, pause, cancel and delete campaigns, without sending them.',
      'campaigns:send':
        'Send a campaign to many people at once. This costs money and cannot be taken back.',
      'automations:read': 'See automations, their runs and reports.',
      'automations:write': 'Draft automations, turn them on and off, and cancel their runs.',
      'reminders:read': 'See reminders.',
      'reminders:write': 'Create, change and cancel reminders.',
      'pipelines:read': 'See pipelines, stages and deals.',
      'pipelines:write': 'Create, change and delete deals, and move them between stages.',
      'forms:read': 'See forms and what people answered.',
      'forms:write': 'Draft forms, publish and unpublish them, and make personal links.',
      'numbers:read': 'See numbers and the report on them.',
      'numbers:write': 'Change the name, teams and hours of numbers.',
      'members:read': 'See members, with their e-mail, and teams.',
      'webhooks:read': 'See webhook endpoints and their deliveries, with what was sent.',
      'webhooks:write':
        'Create, change, pause and delete webhook endpoints, replace their secrets, and so receive what people write and who they are.',
    },
  },
  'pt-BR': {
    nav: 'Chaves de API',
    lead: 'Seus sistemas chamam a API com uma chave. Ela vale para todo o espaço de trabalho, dentro dos escopos dela.',
    create: 'Criar uma chave',
    none: 'Nenhuma chave ainda.',
    columns: ['Nome', 'Chave', 'Pode', 'Situação', 'Último uso', ''],
    status: { active: 'ativa', expired: 'vencida', revoked: 'revogada' },
    expiring: 'vence em breve',
    never: 'não vence',
    unused: 'nunca usada',
    from: 'de',
    revoke: 'Revogar',
    revokeLead: (name) =>
      `Tudo o que usa “${name}” é recusado a partir da próxima chamada. Não há como desfazer.`,
    goesOn:
      'O que foi feito ou mudado com ela continua: endpoints de webhook, automações, campanhas agendadas e lembretes. Confira tudo se ela foi roubada.',
    lastUsed: (when) => `O último uso foi em ${when}.`,
    neverUsed: 'Ela nunca foi usada.',
    revoked: 'A chave foi revogada.',
    created: (name) => `A chave “${name}” está pronta.`,
    once: 'Copie agora: ela aparece só desta vez.',
    tryIt: 'Experimente:',
    keyLabel: 'A nova chave de API',
    commandLabel: 'Um comando que usa a chave',
    name: 'Nome',
    nameHint: 'Qual sistema a usa. Aparece na auditoria.',
    lifetime: 'Vence em',
    lifetimes: { '30d': '30 dias', '90d': '90 dias', '1y': 'um ano', never: 'nunca' },
    start: 'Comece com:',
    presets: {
      read: 'ler tudo',
      messages: 'enviar e receber mensagens',
      webhooks: 'cuidar dos webhooks',
    },
    scopes: 'O que ela pode fazer',
    scopesHint: 'Marque só o que o sistema precisa.',
    areas: {
      conversations: 'Conversas',
      contacts: 'Contatos e segmentos',
      campaigns: 'Campanhas',
      automations: 'Automações e lembretes',
      pipelines: 'Funis',
      forms: 'Formulários',
      workspace: 'Números e pessoas',
      webhooks: 'Webhooks',
    },
    says: {
      'conversations:read': 'Ver conversas e quem cuida delas.',
      'conversations:write': 'Transferir, encerrar e reabrir conversas.',
      'messages:read': 'Ler as mensagens das conversas.',
      'messages:write': 'Enviar mensagens a pessoas.',
      'groups:read': 'Ver grupos e quantas pessoas estão neles.',
      'groups:write': 'Enviar mensagens a grupos.',
      'contacts:read': 'Ver contatos com telefone, e-mail e campos.',
      'contacts:write':
        'Criar, importar, mudar, unir e apagar contatos, com tudo o que foi dito a eles.',
      'segments:read': 'Ver segmentos e quem está neles.',
      'segments:write': 'Criar e apagar segmentos.',
      'campaigns:read': 'Ver campanhas e os resultados.',
      'campaigns:write': 'Escrever, mudar, pausar, cancelar e apagar campanhas, sem enviar.',
      'campaigns:send':
        'Enviar uma campanha a muitas pessoas de uma vez. Isto custa dinheiro e não há como desfazer.',
      'automations:read': 'Ver automações, execuções e relatórios.',
      'automations:write':
        'Criar rascunhos de automações, ligá-las e desligá-las, e cancelar execuções.',
      'reminders:read': 'Ver lembretes.',
      'reminders:write': 'Criar, mudar e cancelar lembretes.',
      'pipelines:read': 'Ver funis, etapas e negócios.',
      'pipelines:write': 'Criar, mudar e apagar negócios, e movê-los entre etapas.',
      'forms:read': 'Ver formulários e o que as pessoas responderam.',
      'forms:write':
        'Criar rascunhos de formulários, publicá-los, tirá-los do ar e criar links pessoais.',
      'numbers:read': 'Ver números e o relatório deles.',
      'numbers:write': 'Mudar nome, equipes e horários dos números.',
      'members:read': 'Ver membros, com e-mail, e equipes.',
      'webhooks:read': 'Ver endpoints de webhook e as entregas, com o que foi enviado.',
      'webhooks:write':
        'Criar, mudar, pausar e apagar endpoints de webhook, trocar os segredos deles e, assim, receber o que as pessoas escrevem e quem elas são.',
    },
  },
};
