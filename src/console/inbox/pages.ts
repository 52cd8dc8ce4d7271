import type { ConsolePage } from '../page.ts';
import { messageFile } from './file.ts';
import { inboxPage } from './list.ts';
import { threadPage } from './thread.ts';

export const inboxPages: readonly ConsolePage[] = [inboxPage, threadPage, messageFile];
