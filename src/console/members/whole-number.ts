import { validation } from '../../errors.ts';
import { field, type Page } from '../page.ts';
import { MEMBERS } from './texts.ts';

/** An integer from a form. Throws 422 `validation` for anything else. */
export function wholeNumber(page: Page, path: string): number {
  const text = field(page, path).trim();
  if (/^-?[0-9]{1,9}$/.test(text)) return Number(text);
  throw validation([{ path, rule: 'integer', message: MEMBERS[page.lang].wholeNumber }]);
}

/** `wholeNumber`, or null where nothing stands. Throws 422 `validation`. */
export const wholeNumberOrNone = (page: Page, path: string): number | null =>
  field(page, path).trim() === '' ? null : wholeNumber(page, path);
