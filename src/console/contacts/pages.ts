import type { ConsolePage } from '../page.ts';
import { contactsFile } from './csv.ts';
import { importPage, importsPage } from './imports.ts';
import { contactsPage } from './list.ts';
import { mergePage } from './merging.ts';
import { contactPage } from './one.ts';
import { newContactPage } from './writing.ts';

export const contactPages: readonly ConsolePage[] = [
  contactsPage,
  contactsFile,
  newContactPage,
  importsPage,
  importPage,
  contactPage,
  mergePage,
];
