import type { Dictionary } from '../../pages/language.ts';

interface AccountTexts {
  readonly title: string;
  readonly changeEmail: string;
  readonly emailChanged: string;
  readonly ownName: string;
  readonly name: string;
  readonly nameHint: string;
  readonly saveName: string;
  readonly nameSaved: string;
  readonly nameNotSaved: string;
  readonly nameWrong: string;
  readonly workspaces: string;
  readonly noWorkspace: string;
  readonly sessions: string;
  readonly columns: readonly [string, string, string, string];
  readonly thisOne: string;
  readonly unknown: string;
  readonly end: string;
  readonly endLabel: (browser: string) => string;
  readonly endOthers: string;
  readonly ended: string;
  readonly allEnded: string;
  readonly password: string;
  readonly current: string;
  readonly fresh: string;
  readonly freshHint: string;
  readonly change: string;
  readonly changed: string;
  readonly notChanged: string;
  readonly wrong: string;
  readonly signOut: string;
}

export const ACCOUNT: Dictionary<AccountTexts> = {
  en: {
    title: 'Your account',
    changeEmail: 'Change your e-mail address',
    emailChanged: 'You sign in with your new e-mail address from now on.',
    ownName: 'Your name',
    name: 'What you are called',
    nameHint: 'Here and for your passkeys. Each workspace calls you as its list of members does.',
    saveName: 'Save the name',
    nameSaved: 'Your name is saved.',
    nameNotSaved: 'Your name was not saved.',
    nameWrong: 'Write a name of 1 to 120 characters.',
    workspaces: 'Your workspaces',
    noWorkspace: 'You are in no workspace. Ask someone who manages one to invite you.',
    sessions: 'Where you are signed in',
    columns: ['Browser', 'Address', 'Last used (UTC)', ''],
    thisOne: 'this browser',
    unknown: 'unknown',
    end: 'Sign out',
    endLabel: (browser) => `Sign out ${browser}`,
    endOthers: 'Sign out everywhere else',
    ended: 'That session has ended.',
    allEnded: 'You are signed out everywhere else.',
    password: 'Change your password',
    current: 'Current password',
    fresh: 'New password',
    freshHint: 'At least 8 characters. All other browsers are signed out.',
    change: 'Change password',
    changed: 'Your password is changed, and all other browsers are signed out.',
    notChanged: 'Your password was not changed.',
    wrong: 'The current password is not right.',
    signOut: 'Sign out',
  },
  'pt-BR': {
    title: 'Sua conta',
    changeEmail: 'Trocar o e-mail',
    emailChanged: 'De agora em diante você entra com seu novo e-mail.',
    ownName: 'Seu nome',
    name: 'Como você se chama',
    nameHint:
      'Aqui e nas suas chaves de acesso. Cada espaço chama você como na lista de membros dele.',
    saveName: 'Salvar o nome',
    nameSaved: 'Seu nome foi salvo.',
    nameNotSaved: 'Seu nome não foi salvo.',
    nameWrong: 'Escreva um nome de 1 a 120 caracteres.',
    workspaces: 'Seus espaços de trabalho',
    noWorkspace: 'Você não está em nenhum espaço. Peça um convite a quem administra um.',
    sessions: 'Onde você está conectado',
    columns: ['Navegador', 'Endereço', 'Último uso (UTC)', ''],
    thisOne: 'este navegador',
    unknown: 'desconhecido',
    end: 'Encerrar',
    endLabel: (browser) => `Encerrar ${browser}`,
    endOthers: 'Sair de todos os outros',
    ended: 'Essa sessão foi encerrada.',
    allEnded: 'Você saiu de todos os outros navegadores.',
    password: 'Trocar a senha',
    current: 'Senha atual',
    fresh: 'Nova senha',
    freshHint: 'Pelo menos 8 caracteres. Os outros navegadores são desconectados.',
    change: 'Trocar a senha',
    changed: 'Sua senha foi trocada, e os outros navegadores foram desconectados.',
    notChanged: 'Sua senha não foi trocada.',
    wrong: 'A senha atual não confere.',
    signOut: 'Sair',
  },
};
