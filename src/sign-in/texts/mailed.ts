import type { Dictionary } from '../../pages/language.ts';

interface MailedTexts {
  readonly title: string;
  readonly lead: string;
  readonly email: string;
  readonly send: string;
  readonly sent: string;
  readonly sentText: string;
  readonly noMail: string;
  readonly choose: string;
  readonly forWhom: (email: string) => string;
  readonly fresh: string;
  readonly freshHint: string;
  readonly save: string;
  readonly notSaved: string;
  readonly back: string;
  readonly invitation: (workspace: string) => string;
  readonly invited: (email: string) => string;
  readonly accept: string;
  readonly signInFirst: (email: string) => string;
  readonly signIn: string;
  readonly other: (email: string) => string;
  readonly signOut: string;
}

export const MAILED: Dictionary<MailedTexts> = {
  en: {
    title: 'Forgotten your password?',
    lead: 'Write your e-mail address. We mail you a link with which you choose a new password.',
    email: 'E-mail address',
    send: 'Send the link',
    sent: 'Look into your mails',
    sentText:
      'If there is an account with this address, a link is on its way. It works once, within an hour.',
    noMail:
      'This service sends no mail. Ask its operator for a link by which you choose a new password.',
    choose: 'Choose a new password',
    forWhom: (email) => `For ${email}.`,
    fresh: 'New password',
    freshHint: 'At least 8 characters.',
    save: 'Save the password',
    notSaved: 'The password was not saved.',
    back: 'To the sign-in',
    invitation: (workspace) => `You are invited to ${workspace}`,
    invited: (email) => `The invitation is for ${email}.`,
    accept: 'Accept the invitation',
    signInFirst: (email) => `You have an account already: sign in as ${email} to accept.`,
    signIn: 'Sign in',
    other: (email) => `You are signed in as ${email}. Sign out first, then open the link again.`,
    signOut: 'Sign out',
  },
  'pt-BR': {
    title: 'Esqueceu a senha?',
    lead: 'Escreva seu e-mail. Enviamos um link para você escolher uma nova senha.',
    email: 'E-mail',
    send: 'Enviar o link',
    sent: 'Veja seus e-mails',
    sentText:
      'Se alguém entra com este e-mail, um link está a caminho. Ele funciona uma vez, por uma hora.',
    noMail:
      'Daqui não saem e-mails. Peça a quem opera este serviço um link para escolher uma nova senha.',
    choose: 'Escolha uma nova senha',
    forWhom: (email) => `Para ${email}.`,
    fresh: 'Nova senha',
    freshHint: 'Pelo menos 8 caracteres.',
    save: 'Salvar a senha',
    notSaved: 'A senha não foi salva.',
    back: 'Ir para a entrada',
    invitation: (workspace) => `Você foi convidado para ${workspace}`,
    invited: (email) => `O convite é para ${email}.`,
    accept: 'Aceitar o convite',
    signInFirst: (email) => `Você já tem uma conta: entre como ${email} para aceitar.`,
    signIn: 'Entrar',
    other: (email) => `Você entrou como ${email}. Saia primeiro e abra o link de novo.`,
    signOut: 'Sair',
  },
};
