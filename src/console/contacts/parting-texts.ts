import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly block: string;
  readonly blockLead: string;
  readonly blockedNow: string;
  readonly unblock: string;
  readonly unblocked: string;
  readonly merge: string;
  readonly mergeLead: (name: string) => string;
  readonly mergeNow: string;
  readonly merged: string;
  readonly delete: string;
  readonly deleteLead: string;
  readonly deleted: string;
}

export const PARTING: Dictionary<Texts> = {
  en: {
    block: 'Block the contact',
    blockLead:
      'Nothing is sent to the contact any more, until somebody lifts the block. What they write still arrives.',
    blockedNow: 'The contact is blocked.',
    unblock: 'Lift the block',
    unblocked: 'The contact is no longer blocked.',
    merge: 'Merge with another contact',
    mergeLead: (name) =>
      `For one person who is here twice. ${name} keeps what is known; the contact that you choose fills the gaps and is deleted, and its conversations, deals and everything else go to ${name}. It cannot be undone.`,
    mergeNow: 'Merge for good',
    merged: 'The contacts are one now.',
    delete: 'Delete the contact',
    deleteLead:
      'Deletes the contact for good, with conversations, messages, files and deals; reminders to the contact end, and what they say is erased. Counts of campaigns, forms, automations and reports stay, without name and phone; an opt-out stays remembered; what was written in groups stays there; what webhooks were told stays in their deliveries for 30 days. The audit log, in which nothing can be changed, keeps the name, titles of deals and reminders, and what was changed of phone, e-mail, birthday and other fields.',
    deleted: 'The contact is deleted.',
  },
  'pt-BR': {
    block: 'Bloquear o contato',
    blockLead:
      'Nada mais é enviado ao contato, até alguém desbloquear. O que ele escreve continua chegando.',
    blockedNow: 'O contato foi bloqueado.',
    unblock: 'Desbloquear',
    unblocked: 'O contato não está mais bloqueado.',
    merge: 'Juntar com outro contato',
    mergeLead: (name) =>
      `Para uma pessoa que está aqui duas vezes. ${name} fica com o que se sabe; o contato escolhido preenche o que falta e é apagado, e as conversas, os negócios e tudo mais dele passam para ${name}. Não dá para desfazer.`,
    mergeNow: 'Juntar de vez',
    merged: 'Os contatos agora são um só.',
    delete: 'Apagar o contato',
    deleteLead:
      'Apaga o contato de vez, com conversas, mensagens, arquivos e negócios; os lembretes para ele acabam, e o que dizem é apagado. Os números de campanhas, formulários, automações e relatórios ficam, sem nome nem telefone; um pedido para não receber mensagens continua lembrado; o que foi escrito em grupos fica lá; o que os webhooks receberam fica nas entregas por 30 dias. A auditoria, em que nada se muda, guarda o nome, os títulos de negócios e lembretes, e o que mudou de telefone, e-mail, nascimento e outros campos.',
    deleted: 'O contato foi apagado.',
  },
};
