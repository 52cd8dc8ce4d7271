import { download, type Route, read, upload } from '../http/route.ts';
import { MAX_FILE_BYTES } from './kinds.ts';
import { mediaDetail, mediaView } from './schema.ts';
import { downloadMedia, getMedia, keepMedia } from './service.ts';

const example = {
  id: 'med_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D',
  type: 'image/jpeg',
  name: 'bolo.jpg',
  size: 183_402,
};

export const mediaRoutes = ({
  uploadMbADay,
}: {
  readonly uploadMbADay: number;
}): readonly Route[] => [
  upload({
    path: '/v1/media',
    operationId: 'upload_media',
    summary: 'Upload a file for sending',
    tag: 'Media',
    scope: 'messages:write',
    file: { maxBytes: MAX_FILE_BYTES },
    reply: mediaView,
    status: 201,
    example: { response: example },
    errors: ['quota'],
    handle: (ctx, { file }) => keepMedia(ctx, file, uploadMbADay),
  }),
  read({
    path: '/v1/media/:id',
    operationId: 'get_media',
    summary: 'Get a file’s metadata',
    tag: 'Media',
    scope: 'messages:read',
    id: 'med',
    reply: mediaDetail,
    example: {
      response: {
        ...example,
        kind: 'image',
        state: 'kept',
        created_at: '2026-11-20T12:00:00.000Z',
      },
    },
    handle: (ctx, { id }) => getMedia(ctx, id),
  }),
  download({
    path: '/v1/media/:id/content',
    operationId: 'download_media',
    summary: 'Download a file',
    note: 'One that somebody sent is 409 `invalid_state` (`details.status`: `coming`) until it was fetched from WhatsApp: ask again. `lost` is final.',
    tag: 'Media',
    scope: 'messages:read',
    id: 'med',
    errors: ['invalid_state'],
    handle: (ctx, { id }) => downloadMedia(ctx, id),
  }),
];
