import { randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { hidden } from '../../pages/fields.ts';
import type { Html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { field, type Page } from '../page.ts';

const SENT_ALREADY: Dictionary<string> = {
  en: 'What stood here before was sent already. Sent again, this goes out as one more message.',
  'pt-BR':
    'O que estava aqui antes já foi enviado. Enviado outra vez, isto sai como mais uma mensagem.',
};

/** In a form that sends a message: even when posted twice by a double click or a reload, it is one message. */
export function clientRef(page: Page): Html {
  const told = page.problems.get('text') === SENT_ALREADY[page.lang];
  const sent = told ? '' : field(page, 'client_ref');
  return hidden('client_ref', sent || `console-${randomBytes(16).toString('base64url')}`);
}

/**
 * For a form that was sent, corrected and sent again before the page had answered: its reference stands for the first
 * text. Throws 409 `duplicate`, beside what is written.
 */
export function requireFirst({ lang }: Pick<Page, 'lang'>, isOfThisForm: boolean): void {
  if (isOfThisForm) return;
  const message = SENT_ALREADY[lang];
  throw new AppError('duplicate', message, [{ path: 'text', rule: 'sent_already', message }]);
}
