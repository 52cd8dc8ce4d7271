import type { Dictionary } from '../../pages/language.ts';

interface PasskeyTexts {
  readonly title: string;
  readonly lead: string;
  readonly columns: readonly [string, string, string, string];
  readonly never: string;
  readonly name: string;
  readonly nameHint: string;
  readonly add: string;
  readonly added: string;
  readonly remove: string;
  readonly removing: string;
  readonly removed: string;
  readonly signInAgain: string;
  readonly signIn: string;
  readonly failed: string;
  readonly notAdded: string;
}

export const PASSKEYS: Dictionary<PasskeyTexts> = {
  en: {
    title: 'Passkeys',
    lead: 'Sign in with your fingerprint, your face or the lock of your device. No one can guess or steal that from afar.',
    columns: ['Name', 'Since', 'Last used (UTC)', ''],
    never: 'never',
    name: 'Name',
    nameHint: 'The device it is kept on, for example.',
    add: 'Add a passkey',
    added: 'The passkey is kept. You can sign in with it from now on.',
    remove: 'Remove',
    removing: 'It will no longer sign you in, on any device. To use it again, add it anew.',
    removed: 'The passkey is removed.',
    signInAgain: 'Sign in again to add a passkey',
    signIn: 'Sign in with a passkey',
    failed: 'The passkey did not work. Try again, or use your password.',
    notAdded: 'No passkey was added. Try again. A person has at most 20.',
  },
  'pt-BR': {
    title: 'Chaves de acesso',
    lead: 'Entre com a digital, o rosto ou o bloqueio do seu aparelho. Ninguém adivinha nem rouba isso de longe.',
    columns: ['Nome', 'Desde', 'Último uso (UTC)', ''],
    never: 'nunca',
    name: 'Nome',
    nameHint: 'Por exemplo, o aparelho em que ela fica.',
    add: 'Adicionar uma chave',
    added: 'A chave foi guardada. Você já pode entrar com ela.',
    remove: 'Remover',
    removing:
      'Ela deixará de servir para entrar, em qualquer aparelho. Para usá-la de novo, adicione-a outra vez.',
    removed: 'A chave foi removida.',
    signInAgain: 'Entre de novo para adicionar uma chave',
    signIn: 'Entrar com uma chave de acesso',
    failed: 'A chave de acesso não funcionou. Tente de novo ou use a senha.',
    notAdded: 'Nenhuma chave foi adicionada. Tente de novo. Cada pessoa tem no máximo 20.',
  },
};
