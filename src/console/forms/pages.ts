import type { ConsolePage } from '../page.ts';
import { formLinkPage } from './link.ts';
import { formsPage } from './list.ts';
import { formPage } from './one.ts';
import { editFormPage, newFormPage } from './writing.ts';

export const formPages: readonly ConsolePage[] = [
  formsPage,
  newFormPage,
  editFormPage,
  formLinkPage,
  formPage,
];
