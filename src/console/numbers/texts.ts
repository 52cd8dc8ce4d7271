import type { NUMBER_STATUSES, Provider } from '../../numbers/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly none: string;
  readonly whoConnects: string;
  /** For those who see only some, and none. */
  readonly noneSeen: string;
  readonly columns: readonly [string, string, string, string];
  readonly statuses: Readonly<Record<(typeof NUMBER_STATUSES)[number], string>>;
  readonly phone: string;
  readonly provider: string;
  readonly providers: Readonly<Record<Provider, string>>;
  readonly since: string;
  readonly reason: string;
  readonly dailyLimit: string;
  readonly change: string;
  readonly name: string;
  readonly teams: string;
  readonly teamsHint: string;
  readonly noTeams: string;
  readonly toTeams: string;
  readonly defaultTeam: string;
  readonly defaultTeamHint: string;
  readonly stage: string;
  readonly stageHint: string;
  readonly nothing: string;
  readonly hours: string;
  readonly schedules: Readonly<Record<'always' | 'weekly', string>>;
  readonly hoursHint: string;
  readonly open: string;
  readonly from: string;
  readonly to: string;
  readonly between: (from: string, to: string) => string;
  readonly allDay: string;
  readonly closed: string;
  readonly save: string;
  readonly saved: string;
}

export const NUMBERS: Dictionary<Texts> = {
  en: {
    nav: 'Numbers',
    none: 'No number yet.',
    whoConnects:
      'Whoever operates this service connects one for you, with the commands wms number add and wms number connect. It then stands here.',
    noneSeen:
      'You see only the numbers of your teams and of your own conversations, and there is none. An Owner or Admin can change that.',
    columns: ['Name', 'Phone', 'Status', 'Since'],
    statuses: {
      provisioning: 'being set up',
      awaiting_pairing: 'waits for its phone',
      connected: 'connected',
      degraded: 'connected, with errors',
      disconnected: 'not connected',
      suspended: 'suspended by WhatsApp',
      error: 'error',
    },
    phone: 'Phone',
    provider: 'Connected through',
    providers: {
      cloud_api: 'WhatsApp’s Cloud API',
      paired: 'a paired phone',
      sandbox: 'the simulator',
    },
    since: 'In this state since',
    reason: 'Because',
    dailyLimit: 'Messages of campaigns a day, at most',
    change: 'Change',
    name: 'Name',
    teams: 'Teams that answer on this number',
    teamsHint: 'People who see only their teams’ conversations see those that nobody has yet, too.',
    noTeams: 'The workspace has no team that could answer on this number.',
    toTeams: 'Teams',
    defaultTeam: 'Team that gets new conversations',
    defaultTeamHint: 'One of those above.',
    stage: 'Stage of new people',
    stageHint: 'Whoever writes to this number for the first time gets a deal in it.',
    nothing: 'None',
    hours: 'Opening hours',
    schedules: { always: 'Always open', weekly: 'By the day of the week' },
    hoursHint:
      'By the workspace’s time zone. A time before the first one is on the next day; twice the same is the whole day.',
    open: 'Open',
    from: 'From',
    to: 'To',
    between: (from, to) => `${from} to ${to}`,
    allDay: 'the whole day',
    closed: 'closed',
    save: 'Save',
    saved: 'The number is changed.',
  },
  'pt-BR': {
    nav: 'Números',
    none: 'Nenhum número ainda.',
    whoConnects:
      'Quem opera este serviço conecta um para você, com os comandos wms number add e wms number connect. Ele aparece aqui em seguida.',
    noneSeen:
      'Você vê só os números das suas equipes e das suas conversas, e não há nenhum. Um proprietário ou administrador pode mudar isto.',
    columns: ['Nome', 'Telefone', 'Situação', 'Desde'],
    statuses: {
      provisioning: 'em preparação',
      awaiting_pairing: 'espera o telefone',
      connected: 'conectado',
      degraded: 'conectado, com erros',
      disconnected: 'sem conexão',
      suspended: 'suspenso pelo WhatsApp',
      error: 'erro',
    },
    phone: 'Telefone',
    provider: 'Conectado por',
    providers: {
      cloud_api: 'Cloud API do WhatsApp',
      paired: 'um telefone pareado',
      sandbox: 'simulador',
    },
    since: 'Nesta situação desde',
    reason: 'Motivo',
    dailyLimit: 'Mensagens de campanhas por dia, no máximo',
    change: 'Alterar',
    name: 'Nome',
    teams: 'Equipes que atendem neste número',
    teamsHint: 'Quem vê só as conversas das suas equipes vê também as que ninguém tem ainda.',
    noTeams: 'O espaço de trabalho não tem equipe que possa atender neste número.',
    toTeams: 'Equipes',
    defaultTeam: 'Equipe que recebe as conversas novas',
    defaultTeamHint: 'Uma das de cima.',
    stage: 'Etapa de quem é novo',
    stageHint: 'Quem escreve pela primeira vez para este número ganha um negócio nela.',
    nothing: 'Nenhuma',
    hours: 'Horário de atendimento',
    schedules: { always: 'Sempre aberto', weekly: 'Por dia da semana' },
    hoursHint:
      'No fuso horário do espaço de trabalho. Uma hora antes da primeira é no dia seguinte; duas iguais são o dia inteiro.',
    open: 'Aberto',
    from: 'De',
    to: 'Até',
    between: (from, to) => `${from} às ${to}`,
    allDay: 'o dia inteiro',
    closed: 'fechado',
    save: 'Salvar',
    saved: 'O número foi alterado.',
  },
};
