import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const GUIDE = new URL('../../docs/automations.md', import.meta.url);

export const guideView = z.strictObject({
  text: z.string().meta({ description: 'Markdown; the same as `/docs/writing-automations`.' }),
});

/** What triggers, entry and steps may say, for whoever writes a draft and reads no pages: an agent, for example. */
export const readGuide = async (): Promise<z.input<typeof guideView>> => ({
  text: await readFile(GUIDE, 'utf8'),
});
