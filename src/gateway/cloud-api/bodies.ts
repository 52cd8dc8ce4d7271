import type { MediaContent, OutgoingMessage, TemplateContent } from '../port.ts';
import type { MediaObject, SendBody } from './send-wire.ts';

/** A message in the Cloud API's format. */
export function sendBody(message: OutgoingMessage): SendBody {
  const common = {
    messaging_product: 'whatsapp',
    ...recipient(message),
    biz_opaque_callback_data: message.correlation,
    ...(message.replyTo ? { context: { message_id: message.replyTo } } : {}),
  } as const;
  if (message.template)
    return { ...common, type: 'template', template: templateObject(message.template) };
  if (message.media) return { ...common, ...mediaPart(message.media, message.text) };
  return { ...common, type: 'text', text: { body: message.text } };
}

function recipient({ to, toKind = 'phone' }: OutgoingMessage) {
  if (toKind === 'group') return { recipient_type: 'group', to } as const;
  const person = { recipient_type: 'individual' } as const;
  return toKind === 'user' ? { ...person, recipient: to } : { ...person, to: to.replace('+', '') };
}

const templateObject = ({ name, language, parameters, names = [] }: TemplateContent) => ({
  name,
  language: { code: language },
  ...(parameters.length === 0
    ? {}
    : {
        components: [
          {
            type: 'body' as const,
            parameters: parameters.map((text, at) => ({
              type: 'text' as const,
              text,
              ...(names[at] === undefined ? {} : { parameter_name: names[at] }),
            })),
          },
        ],
      }),
});

/** Audio and stickers have no caption, and only a document shows its name. */
function mediaPart({ kind, providerId: id, name }: MediaContent, caption: string) {
  const captioned: MediaObject = { id, ...(caption === '' ? {} : { caption }) };
  switch (kind) {
    case 'image':
      return { type: kind, image: captioned } as const;
    case 'video':
      return { type: kind, video: captioned } as const;
    case 'audio':
      return { type: kind, audio: { id } } as const;
    case 'sticker':
      return { type: kind, sticker: { id } } as const;
    case 'document':
      return {
        type: kind,
        document: { ...captioned, ...(name ? { filename: name } : {}) },
      } as const;
  }
}
