import type { MessageStatus } from '../../conversations/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  /** Whether one is there to answer, and what is said after a change of that. */
  readonly presence: Readonly<
    Record<'here' | 'away' | 'beHere' | 'beAway' | 'back' | 'gone', string>
  >;
  readonly none: string;
  readonly columns: readonly [string, string, string, string];
  readonly status: string;
  readonly statuses: Readonly<Record<'open' | 'closed', string>>;
  readonly all: string;
  readonly assignee: string;
  readonly person: string;
  readonly mine: string;
  readonly nobody: string;
  readonly nobodys: string;
  readonly contact: string;
  readonly number: string;
  readonly team: string;
  readonly noTeam: string;
  readonly more: string;
  readonly notRead: string;
  readonly unread: (count: string) => string;
  readonly markRead: string;
  readonly read: string;
  readonly unknown: string;
  readonly window: (until: string) => string;
  readonly cannotReply: string;
  readonly cannotReplyToGroup: string;
  readonly messages: string;
  readonly noMessages: string;
  readonly older: string;
  readonly newest: string;
  readonly us: string;
  readonly campaign: string;
  readonly reminder: string;
  /** By the message's type, the second of those without words. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly withdrawn: Readonly<Record<string, string>>;
  /** A kind with the name of the file or template, or what happened with the name of whom it went to. */
  readonly named: (kind: string, name: string) => string;
  /** Of a file without which the message is shown. */
  readonly away: Readonly<Record<'coming' | 'lost', string>>;
  readonly states: Readonly<Record<MessageStatus, string>>;
  readonly reply: string;
  readonly replyTo: (name: string) => string;
  readonly replied: string;
  readonly nothingWritten: string;
  readonly unsent: string;
  readonly file: string;
  readonly fileHint: string;
  readonly fileAgain: string;
  readonly transfer: string;
  readonly to: string;
  readonly member: (team: string, member: string) => string;
  readonly transferred: string;
  readonly close: string;
  readonly closed: string;
  readonly closedMeanwhile: string;
  readonly reload: string;
  readonly reopen: string;
  readonly reopened: string;
}

export const INBOX: Dictionary<Texts> = {
  en: {
    nav: 'Inbox',
    presence: {
      here: 'You are here',
      away: 'You are away',
      beHere: 'I am here',
      beAway: 'I am away',
      back: 'You are here. Your teams’ conversations may be given to you.',
      gone: 'You are away. Nothing new is given to you until you are back, or sign in anew.',
    },
    none: 'No conversation here.',
    columns: ['With', 'Status', 'In charge', 'Last message'],
    status: 'Status',
    statuses: { open: 'open', closed: 'closed' },
    all: 'all',
    assignee: 'In charge',
    person: 'Person in charge',
    mine: 'mine',
    nobody: 'nobody',
    nobodys: 'nobody’s',
    contact: 'Contact',
    number: 'Number',
    team: 'Team',
    noTeam: 'no team',
    more: 'More filters',
    notRead: 'unread',
    unread: (count) => `${count} unread`,
    markRead: 'Mark as read',
    read: 'The conversation is marked as read.',
    unknown: 'unknown',
    window: (until) => `Free text is possible until ${until}.`,
    cannotReply:
      'Free text is not possible now: the 24 hours after the last message are over, the number is not connected, or the contact is blocked or has no phone.',
    cannotReplyToGroup:
      'Nothing can be written here now: the number left the group, or is not connected.',
    messages: 'Messages',
    noMessages: 'No message yet.',
    older: 'Older messages',
    newest: 'Newest messages',
    us: 'We',
    campaign: 'Campaign:',
    reminder: 'Reminder',
    kinds: {
      image: 'Picture',
      video: 'Video',
      audio: 'Audio',
      document: 'Document',
      sticker: 'Sticker',
      location: 'Location',
      contacts: 'Contact card',
      template: 'Template',
      reaction: 'Reaction',
      edit: 'Edited',
      unsupported: 'A kind of message that cannot be shown here',
    },
    withdrawn: { reaction: 'Reaction taken back', edit: 'Taken back' },
    named: (kind, name) => `${kind}: ${name}`,
    away: { coming: '(still being fetched)', lost: '(WhatsApp did not give the file)' },
    states: {
      received: 'received',
      queued: 'waiting',
      sending: 'being sent',
      unconfirmed: 'not confirmed',
      sent: 'sent',
      delivered: 'delivered',
      read: 'read',
      failed: 'failed',
      cancelled: 'cancelled',
    },
    reply: 'Send',
    replyTo: (name) => `Reply to ${name}`,
    replied: 'The message is on its way.',
    nothingWritten: 'Write a message, or choose a file.',
    unsent: 'Send this first, or take it out.',
    file: 'File',
    fileHint:
      'If you like: a picture up to 5 MB, a video or audio up to 16 MB, a document up to 100 MB.',
    fileAgain: 'A file that you had chosen is not kept: choose it again.',
    transfer: 'Transfer',
    to: 'To',
    member: (team, member) => `${team}: ${member}`,
    transferred: 'The conversation is transferred.',
    close: 'Close the conversation',
    closed: 'The conversation is closed.',
    closedMeanwhile: 'Somebody closed the conversation meanwhile.',
    reload: 'Load the page again',
    reopen: 'Open it again',
    reopened: 'The conversation is open again.',
  },
  'pt-BR': {
    nav: 'Caixa de entrada',
    presence: {
      here: 'Você está aqui',
      away: 'Você está ausente',
      beHere: 'Estou aqui',
      beAway: 'Vou me ausentar',
      back: 'Você está aqui. Conversas das suas equipes podem ser dadas a você.',
      gone: 'Você está ausente. Nada de novo é dado a você até que volte, ou entre de novo.',
    },
    none: 'Nenhuma conversa aqui.',
    columns: ['Com', 'Situação', 'Responsável', 'Última mensagem'],
    status: 'Situação',
    statuses: { open: 'aberta', closed: 'encerrada' },
    all: 'todas',
    assignee: 'Responsável',
    person: 'Pessoa responsável',
    mine: 'minhas',
    nobody: 'ninguém',
    nobodys: 'de ninguém',
    contact: 'Contato',
    number: 'Número',
    team: 'Equipe',
    noTeam: 'sem equipe',
    more: 'Mais filtros',
    notRead: 'não lidas',
    unread: (count) => (count === '1' ? '1 não lida' : `${count} não lidas`),
    markRead: 'Marcar como lida',
    read: 'A conversa está marcada como lida.',
    unknown: 'desconhecido',
    window: (until) => `Texto livre é possível até ${until}.`,
    cannotReply:
      'Texto livre não é possível agora: as 24 horas depois da última mensagem acabaram, o número não está conectado, ou o contato está bloqueado ou sem telefone.',
    cannotReplyToGroup:
      'Não se pode escrever aqui agora: o número saiu do grupo, ou não está conectado.',
    messages: 'Mensagens',
    noMessages: 'Nenhuma mensagem ainda.',
    older: 'Mensagens anteriores',
    newest: 'Mensagens mais novas',
    us: 'Nós',
    campaign: 'Campanha:',
    reminder: 'Lembrete',
    kinds: {
      image: 'Imagem',
      video: 'Vídeo',
      audio: 'Áudio',
      document: 'Documento',
      sticker: 'Figurinha',
      location: 'Localização',
      contacts: 'Cartão de contato',
      template: 'Modelo',
      reaction: 'Reação',
      edit: 'Editada',
      unsupported: 'Um tipo de mensagem que não se pode mostrar aqui',
    },
    withdrawn: { reaction: 'Reação retirada', edit: 'Retirada' },
    named: (kind, name) => `${kind}: ${name}`,
    away: { coming: '(ainda sendo baixado)', lost: '(o WhatsApp não entregou o arquivo)' },
    states: {
      received: 'recebida',
      queued: 'aguardando',
      sending: 'enviando',
      unconfirmed: 'sem confirmação',
      sent: 'enviada',
      delivered: 'entregue',
      read: 'lida',
      failed: 'falhou',
      cancelled: 'cancelada',
    },
    reply: 'Enviar',
    replyTo: (name) => `Responder a ${name}`,
    replied: 'A mensagem está a caminho.',
    nothingWritten: 'Escreva uma mensagem, ou escolha um arquivo.',
    unsent: 'Envie isto antes, ou apague.',
    file: 'Arquivo',
    fileHint:
      'Se quiser: uma imagem de até 5 MB, um vídeo ou áudio de até 16 MB, um documento de até 100 MB.',
    fileAgain: 'Um arquivo que você tinha escolhido não fica guardado: escolha outra vez.',
    transfer: 'Transferir',
    to: 'Para',
    member: (team, member) => `${team}: ${member}`,
    transferred: 'A conversa foi transferida.',
    close: 'Encerrar a conversa',
    closed: 'A conversa foi encerrada.',
    closedMeanwhile: 'Alguém encerrou a conversa enquanto isso.',
    reload: 'Carregar a página outra vez',
    reopen: 'Abrir outra vez',
    reopened: 'A conversa está aberta outra vez.',
  },
};
