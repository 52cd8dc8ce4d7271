import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Mount } from '../http/mount.ts';

/** A file that our pages load. Its address contains its hash, so browsers can cache it for ever. */
export interface Asset {
  readonly href: string;
  /** For `integrity`. */
  readonly integrity: string;
  readonly type: string;
  readonly content: string;
}

/** @param name as `style.css`; the address becomes `/assets/style.<hash>.css` */
export function createAsset(name: string, type: string, content: string): Asset {
  const hash = createHash('sha256').update(content).digest();
  const at = name.lastIndexOf('.');
  const mark = hash.toString('hex').slice(0, 12);
  return {
    href: `/assets/${name.slice(0, at)}.${mark}${name.slice(at)}`,
    integrity: `sha256-${hash.toString('base64')}`,
    type,
    content,
  };
}

const read = (url: string): string => readFileSync(new URL(url, import.meta.url), 'utf8');

/** The style of every page in our frame. */
export const STYLE = createAsset(
  'style.css',
  'text/css; charset=utf-8',
  ['base', 'frame', 'form', 'list', 'work', 'media']
    .map((part) => read(`style/${part}.css`))
    .join('')
    .replaceAll(/\n\s*/g, ''),
);

/** Makes parts of a page live; every page works without it. */
export const HTMX = createAsset(
  'htmx.js',
  'text/javascript; charset=utf-8',
  read(import.meta.resolve('htmx.org/dist/htmx.min.js')).replace(/\n\/\/# sourceMapping.*\s*$/, ''),
);

/** A mount for each file. They contain no secrets and are the same for everyone. */
export const assetMounts = (assets: readonly Asset[]): Mount[] =>
  assets.map(({ href, type, content }) => {
    const packed = gzipSync(content, { level: 9 });
    return {
      path: href,
      methods: ['GET'],
      handle: (ctx) => {
        ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
        ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
        ctx.set('Content-Type', type);
        ctx.vary('Accept-Encoding');
        const takesPacked = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
        if (takesPacked) ctx.set('Content-Encoding', 'gzip');
        ctx.body = takesPacked ? packed : Buffer.from(content);
      },
    };
  });
