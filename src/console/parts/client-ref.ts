import { randomBytes } from 'node:crypto';
import { hidden } from '../../pages/fields.ts';
import type { Html } from '../../pages/html.ts';
import { field, type Page } from '../page.ts';

/** In a form that sends a message: even when posted twice by a double click or a reload, it is one message. */
export const clientRef = (page: Page): Html =>
  hidden(
    'client_ref',
    field(page, 'client_ref') || `console-${randomBytes(16).toString('base64url')}`,
  );
