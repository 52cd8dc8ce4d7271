import type { Dictionary } from '../../pages/language.ts';

interface SignInTexts {
  readonly title: string;
  readonly again: string;
  readonly email: string;
  readonly password: string;
  readonly submit: string;
  readonly forgotten: string;
  readonly wrong: string;
  readonly tooMany: (minutes: number) => string;
  readonly failed: string;
  readonly reset: string;
  readonly signedOut: string;
  readonly unsent: string;
  readonly maybeChanged: string;
  readonly signOutTitle: string;
  readonly signOutText: (email: string) => string;
  readonly signOut: string;
}

export const SIGN_IN: Dictionary<SignInTexts> = {
  en: {
    title: 'Sign in',
    again: 'Confirm that it is you: sign in once more.',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    forgotten: 'Forgotten your password?',
    wrong: 'This e-mail address and password do not belong together.',
    tooMany: (minutes) =>
      `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    failed: 'You are not signed in.',
    reset: 'Your new password is set. Sign in with it.',
    signedOut: 'You are signed out.',
    unsent:
      'You were signed out meanwhile, and nothing was saved. Sign in and send the form again.',
    maybeChanged:
      'You are signed out. If you have just changed your password, sign in with the new one.',
    signOutTitle: 'Sign out',
    signOutText: (email) => `You are signed in as ${email}.`,
    signOut: 'Sign out',
  },
  'pt-BR': {
    title: 'Entrar',
    again: 'Confirme que é você: entre mais uma vez.',
    email: 'E-mail',
    password: 'Senha',
    submit: 'Entrar',
    forgotten: 'Esqueceu a senha?',
    wrong: 'Este e-mail e esta senha não conferem.',
    tooMany: (minutes) =>
      `Tentativas demais. Tente de novo em ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    failed: 'Você não entrou.',
    reset: 'Sua nova senha está valendo. Entre com ela.',
    signedOut: 'Você saiu.',
    unsent:
      'Sua sessão acabou enquanto isso, e nada foi salvo. Entre e envie o formulário outra vez.',
    maybeChanged: 'Sua sessão acabou. Se acabou de trocar a senha, entre com a nova.',
    signOutTitle: 'Sair',
    signOutText: (email) => `Você entrou como ${email}.`,
    signOut: 'Sair',
  },
};
