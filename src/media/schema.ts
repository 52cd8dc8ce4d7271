import { z } from 'zod';
import { MEDIA_KINDS } from '../gateway/port.ts';

/** Design decisions §24. */
export const mediaView = z
  .strictObject({
    id: z.string().meta({
      description:
        'Whatever was uploaded stays as long as a message or an automation names it, and otherwise for 30 days.',
    }),
    type: z.string().meta({ description: 'The media type, determined from the content.' }),
    name: z.string(),
    size: z.int().meta({ description: 'Bytes.' }),
  })
  .meta({ id: 'Media' });

export const mediaDetail = z
  .strictObject({
    ...mediaView.shape,
    type: z.string().meta({
      description:
        'The media type, determined from the content; of a file that somebody sent in WhatsApp, as they declared it.',
    }),
    kind: z.enum(MEDIA_KINDS),
    state: z.enum(['kept', 'coming', 'lost']).meta({
      description:
        'Whether the bytes are available, still being fetched from WhatsApp, or gone for good.',
    }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'MediaDetail' });

export type MediaView = z.input<typeof mediaView>;
export type MediaDetail = z.input<typeof mediaDetail>;
