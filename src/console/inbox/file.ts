import { downloadMedia } from '../../media/service.ts';
import { type ConsolePage, idOf, type PageFile } from '../page.ts';

/** A file of a message, to be kept: a browser never shows it as a page of ours. */
export const messageFile: ConsolePage = {
  path: '/media/:id',
  id: 'med',
  permission: 'conversations.read',
  view: async ({ ctx, params }): Promise<PageFile> => {
    const id = idOf({ params });
    const { name, ...file } = await downloadMedia(ctx, id);
    return { name: name || `${id}.${endingOf(file.type)}`, ...file };
  },
};

/** Voice notes and pictures come without a name: `ogg` of `audio/ogg; codecs=opus`. */
const endingOf = (type: string): string => /^\w+\/(\w+)/.exec(type)?.[1] ?? 'bin';
