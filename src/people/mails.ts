import type { Mail } from '../mail/mailer.ts';
import { languageOf } from '../pages/language.ts';

type Words = Pick<Mail, 'subject' | 'text'>;

const portuguese = (language: string): boolean => languageOf(language) === 'pt-BR';

/** One line of a mail: a name that someone chose cannot break our lines. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

interface Invitation {
  readonly workspace: string;
  /** Who invites; null for the service itself. */
  readonly by: string | null;
  readonly link: string;
}

export function invitationMail(language: string, { workspace, by, link }: Invitation): Words {
  const name = plain(workspace);
  const who = by === null ? null : plain(by);
  if (portuguese(language))
    return {
      subject: `Convite para ${name}`,
      text: `Olá!\n\n${who ? `${who} convidou você` : 'Você foi convidado'} para o espaço de trabalho ${name}. Aceite o convite em até 7 dias:\n\n${link}\n\nSe você não esperava este convite, não precisa fazer nada.\n`,
    };
  return {
    subject: `Invitation to ${name}`,
    text: `Hello!\n\n${who ? `${who} invites you` : 'You are invited'} to the workspace ${name}. Accept within 7 days:\n\n${link}\n\nIf you did not expect this, there is nothing to do.\n`,
  };
}

/**
 * @param link works once, within an hour
 */
export const resetMail = (language: string, link: string): Words =>
  portuguese(language)
    ? {
        subject: 'Escolha uma nova senha',
        text: `Olá!\n\nAlguém pediu uma nova senha para este e-mail. Escolha a sua em até uma hora:\n\n${link}\n\nSe não foi você, não precisa fazer nada: sua senha continua a mesma.\n`,
      }
    : {
        subject: 'Choose a new password',
        text: `Hello!\n\nSomebody asked for a new password for this address. Choose one within an hour:\n\n${link}\n\nIf it was not you, there is nothing to do: your password stays as it is.\n`,
      };

/**
 * To the address that a person wants to sign in with.
 *
 * @param link works once, within an hour, for that person alone
 */
export const emailChangeMail = (language: string, link: string): Words =>
  portuguese(language)
    ? {
        subject: 'Confirme seu novo e-mail',
        text: `Olá!\n\nAlguém quer entrar com este e-mail de agora em diante. Confirme em até uma hora; se for preciso entrar, entre com o e-mail de antes:\n\n${link}\n\nSe não foi você, não precisa fazer nada: este e-mail fica como está.\n`,
      }
    : {
        subject: 'Confirm your new e-mail address',
        text: `Hello!\n\nSomebody wants to sign in with this address from now on. Confirm it within an hour; if you are asked to sign in, do so with the address of before:\n\n${link}\n\nIf it was not you, there is nothing to do: nothing happens to this address.\n`,
      };

/** To the former address of a person who has just changed it. */
export const emailChangedMail = (language: string, email: string): Words =>
  portuguese(language)
    ? {
        subject: 'Seu e-mail foi trocado',
        text: `Olá!\n\nDe agora em diante sua conta entra com ${email}; este e-mail não serve mais para entrar. Se não foi você, avise agora quem administra seus espaços de trabalho, para que suspenda seu acesso.\n`,
      }
    : {
        subject: 'Your e-mail address was changed',
        text: `Hello!\n\nYour account signs in with ${email} from now on, and no longer with this address. If it was not you, tell those who manage your workspaces now, so that they suspend your access.\n`,
      };

/** To a person to whose account a passkey has just been added. */
export const passkeyMail = (language: string): Words =>
  portuguese(language)
    ? {
        subject: 'Uma chave de acesso foi adicionada',
        text: 'Olá!\n\nUma chave de acesso acaba de ser adicionada à sua conta: quem a tem entra sem senha. Se não foi você, remova-a na página da sua conta e troque sua senha agora.\n',
      }
    : {
        subject: 'A passkey was added',
        text: 'Hello!\n\nA passkey was added to your account just now: anyone who has it can sign in without a password. If it was not you, remove it on your account page and change your password now.\n',
      };

/** To a person from whose account a passkey has just been removed. */
export const passkeyRemovedMail = (language: string): Words =>
  portuguese(language)
    ? {
        subject: 'Uma chave de acesso foi removida',
        text: 'Olá!\n\nUma chave de acesso acaba de ser removida da sua conta: ela não serve mais para entrar. Se não foi você, troque sua senha na página da sua conta agora.\n',
      }
    : {
        subject: 'A passkey was removed',
        text: 'Hello!\n\nA passkey was removed from your account just now: it no longer signs you in. If it was not you, change your password on your account page now.\n',
      };

/** To a person whose password has just been changed. */
export const changedMail = (language: string): Words =>
  portuguese(language)
    ? {
        subject: 'Sua senha foi trocada',
        text: 'Olá!\n\nSua senha acaba de ser trocada, e os outros navegadores foram desconectados. Se não foi você, peça uma nova senha na página de entrada agora.\n',
      }
    : {
        subject: 'Your password was changed',
        text: 'Hello!\n\nYour password was changed just now, and all other browsers were signed out. If it was not you, ask for a new password on the sign-in page now.\n',
      };
