import type { MediaKind } from '../gateway/port.ts';

/** What a file really is, judging by its first bytes. */
export interface Recognised {
  readonly kind: MediaKind;
  readonly type: string;
  /** The largest size that WhatsApp accepts (design decisions §1). */
  readonly maxBytes: number;
}

const KB = 1024;
export const MB = 1024 * KB;

const LIMITS: Readonly<Record<MediaKind, number>> = {
  image: 5 * MB,
  video: 16 * MB,
  audio: 16 * MB,
  document: 100 * MB,
  sticker: 100 * KB,
};
const ANIMATED_STICKER = 500 * KB;

/** As people say it. */
export const sizeOf = (bytes: number): string =>
  bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`;

/** The largest file of all. */
export const MAX_FILE_BYTES = LIMITS.document;
/** How many bytes are enough to tell the kinds apart. */
export const HEAD_BYTES = 4 * KB;

const found = (kind: MediaKind, type: string): Recognised => ({
  kind,
  type,
  maxBytes: LIMITS[kind],
});

/**
 * The kind of a file, from its content. What the sender claims is used only to tell apart kinds that look the same.
 * Null for a file that WhatsApp would not accept.
 *
 * @param head the first `HEAD_BYTES` bytes, or all if there are fewer
 */
export function recognise(head: Buffer, declared: string, name: string): Recognised | null {
  return (
    byMagic(head) ??
    mp4(head) ??
    webp(head) ??
    office(head, declared, name) ??
    (isText(head) ? found('document', 'text/plain') : null)
  );
}

const MAGIC: readonly (readonly [prefix: string, Recognised])[] = [
  ['ffd8ff', found('image', 'image/jpeg')],
  ['89504e470d0a1a0a', found('image', 'image/png')],
  ['255044462d', found('document', 'application/pdf')],
  ['4f676753', found('audio', 'audio/ogg')],
  ['2321414d52', found('audio', 'audio/amr')],
  ['494433', found('audio', 'audio/mpeg')],
  ['fffb', found('audio', 'audio/mpeg')],
  ['fff3', found('audio', 'audio/mpeg')],
  ['fff2', found('audio', 'audio/mpeg')],
  ['fff1', found('audio', 'audio/aac')],
  ['fff9', found('audio', 'audio/aac')],
];

function byMagic(head: Buffer): Recognised | null {
  const hex = head.subarray(0, 16).toString('hex');
  return MAGIC.find(([prefix]) => hex.startsWith(prefix))?.[1] ?? null;
}

const ascii = (head: Buffer, from: number, to: number): string =>
  head.subarray(from, to).toString('latin1');

/** The same container holds video and audio; its brand tells which. */
function mp4(head: Buffer): Recognised | null {
  if (ascii(head, 4, 8) !== 'ftyp') return null;
  const brand = ascii(head, 8, 12);
  if (brand.startsWith('M4A')) return found('audio', 'audio/mp4');
  if (brand.startsWith('3gp') || brand.startsWith('3g2')) return found('video', 'video/3gpp');
  return /^(?:isom|iso[2-9]|mp4[12]|avc1|M4V |dash|MSNV)/.test(brand)
    ? found('video', 'video/mp4')
    : null;
}

const ANIMATION_FLAG = 0x02;

function webp(head: Buffer): Recognised | null {
  if (ascii(head, 0, 4) !== 'RIFF' || ascii(head, 8, 12) !== 'WEBP') return null;
  const animated = ascii(head, 12, 16) === 'VP8X' && ((head[20] ?? 0) & ANIMATION_FLAG) !== 0;
  const sticker = found('sticker', 'image/webp');
  return animated ? { ...sticker, maxBytes: ANIMATED_STICKER } : sticker;
}

/** Office documents are archives of two kinds; the file's name or type tells which program's. */
const OFFICE: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
};
const ZIP = '504b0304';
const OLE = 'd0cf11e0a1b11ae1';

function office(head: Buffer, declared: string, name: string): Recognised | null {
  const hex = head.subarray(0, 8).toString('hex');
  const zip = hex.startsWith(ZIP);
  if (!zip && !hex.startsWith(OLE)) return null;
  const fitting = Object.entries(OFFICE).filter(([ending]) => ending.endsWith('x') === zip);
  const ending = name.toLowerCase().split('.').at(-1);
  const type = fitting.find(([known, mime]) => known === ending || mime === declared)?.[1];
  return type ? found('document', type) : null;
}

/** By the type, of what may be sent; text of any kind is, as plain text. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
  ...Object.fromEntries(Object.entries(OFFICE).map(([ending, type]) => [type, ending])),
};

/** For choosing a file; what it really is its bytes tell. */
export const TAKEN_TYPES = Object.keys(ENDINGS);

/** By the type, of what people send us besides. */
const OTHER_ENDINGS: Readonly<Record<string, string>> = { 'application/zip': 'zip' };

interface Named {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** Under which name a file is kept: pictures and voices come without one, and a system opens a file by its ending. */
export function fileNameOf({ id, name, type }: Named): string {
  const [written = ''] = type.toLowerCase().split(';');
  const bare = written.trim();
  const known =
    ENDINGS[bare] ?? OTHER_ENDINGS[bare] ?? /^(?:image|audio|video|text)\/(\w+)$/.exec(bare)?.[1];
  return name || `${id}.${known ?? 'bin'}`;
}

/** UTF-8 without control characters other than line ends and tabs. */
function isText(head: Buffer): boolean {
  if (head.length === 0) return false;
  for (const byte of head) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) return false;
  try {
    // The last character may be cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
