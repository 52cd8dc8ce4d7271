import type { Visibility } from '../../access/actor.ts';
import type { PermissionOption } from '../../access/roles.ts';
import type { MemberStatus } from '../../members/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly seats: (used: string, limit: string, plan: string) => string;
  readonly columns: readonly [string, string, string, string, string];
  readonly status: Readonly<Record<MemberStatus, string>>;
  readonly sees: Readonly<Record<Visibility, string>>;
  readonly invite: string;
  readonly inviteLead: string;
  readonly noMail: string;
  readonly invited: (email: string) => string;
  readonly notMailed: string;
  readonly inviteAgain: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly visibility: string;
  readonly teams: string;
  readonly teamsHint: string;
  readonly options: string;
  readonly optionsHint: string;
  readonly optionNames: Readonly<Record<PermissionOption, string>>;
  readonly capacity: string;
  readonly capacityHint: string;
  readonly save: string;
  readonly saved: string;
  readonly suspend: string;
  readonly suspendLead: string;
  readonly suspended: string;
  readonly reactivate: string;
  readonly reactivated: string;
  readonly remove: string;
  readonly removeLead: string;
  /** How many segments have a condition on whose contacts these are. */
  readonly removeNamed: (count: string) => string;
  readonly silenced: (count: string) => string;
  readonly automated: (names: string) => string;
  readonly removed: string;
  readonly teamsNav: string;
  readonly teamsLead: string;
  readonly noTeam: string;
  readonly addTeam: string;
  readonly teamAdded: string;
  readonly teamName: string;
  readonly teamColumns: readonly [string, string, string, string, string];
  readonly autoAssign: string;
  readonly autoAssignHint: string;
  readonly returnAfter: string;
  readonly returnAfterHint: string;
  readonly yes: string;
  readonly no: string;
  readonly never: string;
  readonly minutes: (count: string) => string;
  readonly change: string;
  readonly removeTeam: string;
  readonly removeTeamLead: string;
  readonly teamRemoved: string;
  readonly wholeNumber: string;
}

export const MEMBERS: Dictionary<Texts> = {
  en: {
    nav: 'Members',
    seats: (used, limit, plan) => `${used} of ${limit} seats on ${plan}`,
    columns: ['Name', 'Role', 'Sees', 'Teams', 'Status'],
    status: { invited: 'invited', active: 'active', suspended: 'suspended' },
    sees: { workspace: 'the whole workspace', teams: 'their teams', assigned: 'what is theirs' },
    invite: 'Invite a person',
    inviteLead: 'They get a mail with a link that is good for 7 days.',
    noMail:
      'This service sends no mail, so nobody can be invited here. Its operator adds people with wms member add, which prints the link by which they join, and wms member invite prints another.',
    invited: (email) => `The invitation is on its way to ${email}.`,
    notMailed: 'The person is added, but no mail could be sent. Invite them again later.',
    inviteAgain: 'Send the invitation again',
    name: 'Name',
    email: 'E-mail',
    role: 'Role',
    visibility: 'Sees',
    teams: 'Teams',
    teamsHint:
      'Conversations are given to members of a team. Whoever sees “their teams” without being in one sees only what is theirs.',
    options: 'More for an Agent',
    optionsHint: 'Every other role has its own permissions.',
    optionNames: { 'campaigns.create': 'Write campaigns', 'campaigns.send': 'Send campaigns' },
    capacity: 'Open conversations at once',
    capacityHint: 'So many does the assignment queue give this person.',
    save: 'Save',
    saved: 'Saved.',
    suspend: 'Suspend',
    suspendLead:
      'From the next click on this person, and every app that acts for them, is kept out. The seat becomes free, and their conversations wait for somebody else.',
    suspended: 'The person is suspended.',
    reactivate: 'Let in again',
    reactivated: 'The person may come in again.',
    remove: 'Remove',
    removeLead:
      'The person leaves the workspace. Their conversations wait for somebody else. This cannot be taken back.',
    removeNamed: (count) =>
      `Segments that name this person: ${count}. Their contacts will belong to nobody, which changes whom these segments reach. Change the segments first.`,
    silenced: (count) =>
      `Webhook endpoints that this person made: ${count}. They will receive nothing any more.`,
    automated: (names) =>
      `Automations that name this person: ${names}. A step that gives them a conversation will fail. Choose somebody else there first.`,
    removed: 'The person has left the workspace.',
    teamsNav: 'Teams',
    teamsLead:
      'Teams share conversations. A number gives its conversations to one or several of them.',
    noTeam: 'No team yet.',
    addTeam: 'Add a team',
    teamAdded: 'The team is there.',
    teamName: 'Name of the team',
    teamColumns: ['Team', 'Members', 'Queue', 'Goes back after', ''],
    autoAssign: 'Give waiting conversations to whoever is online',
    autoAssignHint: 'To the one with the most room.',
    returnAfter: 'Minutes without an answer',
    returnAfterHint: 'After them somebody else gets the conversation. Empty: never.',
    yes: 'on',
    no: 'off',
    never: 'never',
    minutes: (count) => `${count} min`,
    change: 'Change',
    removeTeam: 'Remove the team',
    removeTeamLead: 'Its conversations have no team then.',
    teamRemoved: 'The team is gone.',
    wholeNumber: 'Write a whole number.',
  },
  'pt-BR': {
    nav: 'Membros',
    seats: (used, limit, plan) => `${used} de ${limit} lugares no ${plan}`,
    columns: ['Nome', 'Papel', 'Vê', 'Equipes', 'Situação'],
    status: { invited: 'com convite', active: 'ativo', suspended: 'suspenso' },
    sees: { workspace: 'todo o espaço', teams: 'as equipes dele', assigned: 'o que é dele' },
    invite: 'Convidar uma pessoa',
    inviteLead: 'Ela recebe um e-mail com um link que vale por 7 dias.',
    noMail:
      'Daqui não saem e-mails, então ninguém pode ser convidado aqui. Quem opera este serviço adiciona pessoas com wms member add, que mostra o link para entrar, e wms member invite mostra outro.',
    invited: (email) => `O convite está a caminho de ${email}.`,
    notMailed:
      'A pessoa foi adicionada, mas nenhum e-mail pôde ser enviado. Convide de novo mais tarde.',
    inviteAgain: 'Enviar o convite de novo',
    name: 'Nome',
    email: 'E-mail',
    role: 'Papel',
    visibility: 'Vê',
    teams: 'Equipes',
    teamsHint:
      'Conversas são dadas a quem está em uma equipe. Quem vê “as equipes dele” sem estar em nenhuma vê só o que é dele.',
    options: 'A mais para um Agente',
    optionsHint: 'Os outros papéis têm as permissões deles.',
    optionNames: { 'campaigns.create': 'Escrever campanhas', 'campaigns.send': 'Enviar campanhas' },
    capacity: 'Conversas abertas ao mesmo tempo',
    capacityHint: 'É o que a fila de distribuição dá a esta pessoa.',
    save: 'Salvar',
    saved: 'Salvo.',
    suspend: 'Suspender',
    suspendLead:
      'A partir do próximo clique esta pessoa, e todo app que age por ela, fica de fora. O lugar fica livre, e as conversas dela esperam por outra.',
    suspended: 'A pessoa está suspensa.',
    reactivate: 'Deixar entrar de novo',
    reactivated: 'A pessoa pode entrar de novo.',
    remove: 'Remover',
    removeLead:
      'A pessoa sai do espaço de trabalho. As conversas dela esperam por outra. Não há como desfazer.',
    removeNamed: (count) =>
      `Segmentos que citam esta pessoa: ${count}. Os contatos dela ficam sem responsável, o que muda a quem estes segmentos chegam. Mude antes os segmentos.`,
    silenced: (count) =>
      `Endpoints de webhook que esta pessoa criou: ${count}. Eles não vão receber mais nada.`,
    automated: (names) =>
      `Automações que citam esta pessoa: ${names}. Um passo que lhe dá uma conversa vai falhar. Escolha antes outra pessoa ali.`,
    removed: 'A pessoa saiu do espaço de trabalho.',
    teamsNav: 'Equipes',
    teamsLead: 'Equipes dividem conversas. Um número entrega as conversas dele a uma ou a várias.',
    noTeam: 'Nenhuma equipe ainda.',
    addTeam: 'Adicionar equipe',
    teamAdded: 'A equipe está pronta.',
    teamName: 'Nome da equipe',
    teamColumns: ['Equipe', 'Membros', 'Fila', 'Volta depois de', ''],
    autoAssign: 'Dar conversas que esperam a quem está online',
    autoAssignHint: 'A quem tem mais espaço.',
    returnAfter: 'Minutos sem resposta',
    returnAfterHint: 'Depois deles outra pessoa recebe a conversa. Vazio: nunca.',
    yes: 'ligada',
    no: 'desligada',
    never: 'nunca',
    minutes: (count) => `${count} min`,
    change: 'Mudar',
    removeTeam: 'Remover a equipe',
    removeTeamLead: 'As conversas dela ficam sem equipe.',
    teamRemoved: 'A equipe foi removida.',
    wholeNumber: 'Escreva um número inteiro.',
  },
};
