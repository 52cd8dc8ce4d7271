import type { Dictionary } from '../../pages/language.ts';

interface EmailTexts {
  readonly title: string;
  readonly lead: (email: string) => string;
  readonly fresh: string;
  readonly send: string;
  readonly sent: (email: string) => string;
  readonly notSent: string;
  readonly notMailed: string;
  readonly unsuitable: string;
  readonly noMail: string;
  readonly confirm: (from: string, to: string) => string;
  readonly use: string;
  readonly taken: string;
  readonly invited: string;
  readonly back: string;
}

export const EMAIL: Dictionary<EmailTexts> = {
  en: {
    title: 'Change your e-mail address',
    lead: (email) =>
      `You sign in with ${email}. Write another address: we mail a link there, and nothing changes until you open it.`,
    fresh: 'New e-mail address',
    send: 'Send the link',
    sent: (email) =>
      `A link is on its way to ${email}. It works once, within an hour. Until then you sign in as before.`,
    notSent: 'No link was sent.',
    notMailed: 'The mail could not be sent. Try again later.',
    unsuitable: 'Write another address than yours, like name@example.com.',
    noMail: 'This service sends no mail, so nobody can prove that an address is theirs.',
    confirm: (from, to) =>
      `From now on you sign in with ${to} in place of ${from}, and your workspaces know you by it.`,
    use: 'Use this address',
    taken: 'There is an account with this address already. Your own stays as it is.',
    invited:
      'Somebody was invited to a workspace with this address and has not come in yet. Ask that workspace to take the invitation back, then open the link again. Your own address stays as it is.',
    back: 'To your account',
  },
  'pt-BR': {
    title: 'Trocar o e-mail',
    lead: (email) =>
      `Você entra com ${email}. Escreva outro e-mail: enviamos um link para ele, e nada muda até você abri-lo.`,
    fresh: 'Novo e-mail',
    send: 'Enviar o link',
    sent: (email) =>
      `Um link está a caminho de ${email}. Ele funciona uma vez, por uma hora. Até lá você entra como antes.`,
    notSent: 'Nenhum link foi enviado.',
    notMailed: 'O e-mail não pôde ser enviado. Tente de novo mais tarde.',
    unsuitable: 'Escreva um e-mail diferente do seu, como nome@example.com.',
    noMail: 'Daqui não saem e-mails, então ninguém pode provar que um endereço é seu.',
    confirm: (from, to) =>
      `De agora em diante você entra com ${to} em vez de ${from}, e seus espaços de trabalho conhecem você por ele.`,
    use: 'Usar este e-mail',
    taken: 'Já existe uma conta com este e-mail. A sua continua como está.',
    invited:
      'Este e-mail foi convidado para um espaço de trabalho e o convite ainda não foi aceito. Peça a quem convidou que o retire e abra o link de novo. O seu e-mail continua como está.',
    back: 'Ir para a sua conta',
  },
};
