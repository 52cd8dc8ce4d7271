import { downloadMedia } from '../../media/service.ts';
import { type ConsolePage, idOf, type PageFile } from '../page.ts';

/** A file of a message, to be kept: a browser never shows it as a page of ours. */
export const messageFile: ConsolePage = {
  path: '/media/:id',
  id: 'med',
  permission: 'conversations.read',
  view: ({ ctx, params }): Promise<PageFile> => downloadMedia(ctx, idOf({ params })),
};
