import type { Dictionary } from '../../pages/language.ts';

interface PasswordTexts {
  readonly length: string;
  readonly common: string;
}

/** Why a chosen password is refused. */
export const PASSWORDS: Dictionary<PasswordTexts> = {
  en: {
    length: 'A password has 8 to 200 characters.',
    common: 'This password is among the first that are guessed. Choose another one.',
  },
  'pt-BR': {
    length: 'Uma senha tem de 8 a 200 caracteres.',
    common: 'Esta senha está entre as primeiras que se tentam. Escolha outra.',
  },
};
