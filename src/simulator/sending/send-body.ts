import { refusalOf, UNFIT } from '../templates.ts';

/** A valid send, reduced to what the simulator needs. */
export interface SendRequest {
  /** Digits of a phone number; the business-scoped user id, or the group's id, as given. */
  to: string;
  /** Whether `to` is a phone number rather than a user id or a group. */
  isPhone: boolean;
  isGroup: boolean;
  /** The recipient as the caller wrote it, repeated in the answer. */
  input: string;
  type: string;
  /** The text a person would see; null if there is none. */
  text: string | null;
  /** The caller's correlation, `biz_opaque_callback_data`. */
  key: string | null;
}

type Result =
  | { ok: true; request: SendRequest }
  | { ok: false; details: string; code?: number | undefined };
type Fields = Readonly<Record<string, unknown>>;

/** Returns the text of a valid part (null if it has none), or what is wrong with it. */
type ReadPart = (part: Fields) => { text: string | null } | { wrong: string; code?: number };

const PHONE = /^\+?[\d\s().-]{7,24}$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9._-]{1,128}$/;
const GROUP_ID = /^[A-Za-z0-9._@-]{1,100}$/;
/** In code points: whoever writes with emoji has as much room as others. */
const MAX_TEXT = 4096;
const MAX_CORRELATION = 512;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const asText = (value: unknown): string | null => (isText(value) ? value : null);

const readText: ReadPart = ({ body }) => {
  if (!isText(body)) return { wrong: "The parameter text['body'] is required." };
  if ([...body].length > MAX_TEXT) {
    return { wrong: `Param text['body'] must be at most ${MAX_TEXT} characters long.` };
  }
  return { text: body };
};

const readTemplate: ReadPart = ({ name, language, components }) => {
  if (!isText(name)) return { wrong: "The parameter template['name'] is required." };
  if (!isFields(language) || !isText(language['code'])) {
    return { wrong: "The parameter template['language']['code'] is required." };
  }
  const values = (Array.isArray(components) ? components : [])
    .flatMap((component) => (isFields(component) ? component['parameters'] : []))
    .filter(isFields)
    .flatMap((parameter) => {
      const value = asText(parameter['text']);
      return value === null ? [] : { text: value, name: asText(parameter['parameter_name']) };
    });
  const code = refusalOf(name, language['code'], values);
  if (code !== null)
    return { wrong: UNFIT[code] ?? 'The parameters are not those of the template.', code };
  return { text: [`[${name}]`, ...values.map(({ text }) => text)].join(' ') };
};

const readMedia: ReadPart = ({ id, link, caption }) => {
  if (isText(id) === isText(link)) return { wrong: 'Media needs exactly one of id and link.' };
  return { text: asText(caption) };
};

const readAnything: ReadPart = () => ({ text: null });

const PARTS: Readonly<Record<string, ReadPart>> = {
  text: readText,
  template: readTemplate,
  image: readMedia,
  video: readMedia,
  audio: readMedia,
  document: readMedia,
  sticker: readMedia,
  location: readAnything,
  interactive: readAnything,
  reaction: readAnything,
};

function recipientOf(
  body: Fields,
): Pick<SendRequest, 'to' | 'isPhone' | 'isGroup' | 'input'> | null {
  const input = body['to'] ?? body['recipient'];
  if (typeof input !== 'string') return null;
  if (body['recipient_type'] === 'group')
    return GROUP_ID.test(input) ? { to: input, isPhone: false, isGroup: true, input } : null;
  if (PHONE.test(input))
    return { to: input.replace(/\D/g, ''), isPhone: true, isGroup: false, input };
  return USER_ID.test(input) ? { to: input, isPhone: false, isGroup: false, input } : null;
}

function readPartOf(body: Fields, type: string) {
  const read = PARTS[type];
  if (!read) return { wrong: `Param type must be one of {${Object.keys(PARTS).join(', ')}}.` };
  const part = body[type];
  return isFields(part) ? read(part) : { wrong: `The parameter ${type} is required.` };
}

/** Validates a send as the Cloud API does; problems are the text of its error 100. */
export function readSendBody(body: unknown): Result {
  if (!isFields(body)) return { ok: false, details: 'The body must be a JSON object.' };
  if (body['messaging_product'] !== 'whatsapp') {
    return { ok: false, details: 'The parameter messaging_product is required.' };
  }
  const recipient = recipientOf(body);
  if (!recipient) return { ok: false, details: 'The parameter to is required.' };
  const key = body['biz_opaque_callback_data'] ?? null;
  if (key !== null && (typeof key !== 'string' || key.length > MAX_CORRELATION)) {
    return {
      ok: false,
      details: `Param biz_opaque_callback_data must be a string of at most ${MAX_CORRELATION} characters.`,
    };
  }
  const type = asText(body['type']) ?? 'text';
  const part = readPartOf(body, type);
  if ('wrong' in part) return { ok: false, details: part.wrong, code: part.code };
  return { ok: true, request: { ...recipient, type, text: part.text, key } };
}
