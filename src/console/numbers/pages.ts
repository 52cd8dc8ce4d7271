import type { ConsolePage } from '../page.ts';
import { numbersPage } from './list.ts';
import { numberPage } from './one.ts';

export const numberPages: readonly ConsolePage[] = [numbersPage, numberPage];
