import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { messageOf } from '../../errors.ts';
import type { Account, DownloadResult, OutgoingFile, UploadResult } from '../port.ts';
import { classify, classifyFailure, INVALID_PARAMETER_CODE } from './classify.ts';
import { CONNECTING, type GraphClient, pathOf, WHO } from './client.ts';
import { jsonOf } from './exchange.ts';
import { mediaAnswer, uploadAnswer } from './wire.ts';

/** Enough for 100 MB at 7 Mbit/s. */
const TRANSFER_MS = 120_000;

/** Uploads a file to WhatsApp; the returned id can be sent from this number for some weeks. */
export async function upload(
  client: GraphClient,
  number: Account,
  file: OutgoingFile,
  signal?: AbortSignal,
): Promise<UploadResult> {
  const { headers, body } = formOf(file);
  try {
    const answer = await client.call({
      method: 'POST',
      path: pathOf(number, '/media'),
      accessToken: number.accessToken,
      headers,
      body,
      deadlineMs: TRANSFER_MS,
      signal,
    });
    const id = answer.status < 300 ? uploadAnswer.safeParse(jsonOf(answer.body)).data?.id : null;
    if (id) return { kind: 'kept', providerId: id };
    return withoutUnknown(classify(answer, true));
  } catch (error) {
    return withoutUnknown(classifyFailure(error));
  }
}

/** No one received anything, so an unknown outcome just means uploading again. */
export const UPLOAD_AGAIN: UploadResult = {
  kind: 'throttled',
  scope: 'recipient',
  reason: 'provider_error',
  retryAfterMs: 1_000,
  providerCode: null,
};

const withoutUnknown = (result: ReturnType<typeof classify>): UploadResult =>
  'providerId' in result || result.kind === 'unknown' ? UPLOAD_AGAIN : result;

/** The file is streamed between the form's own lines, so it is never in memory as a whole. */
function formOf(file: OutgoingFile): { headers: Record<string, string>; body: Readable } {
  const boundary = `wms-${randomUUID()}`;
  const part = (name: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
  // Whoever sent the file named both as they liked.
  const filename = file.name.replaceAll(/["\r\n\\]/g, '_') || 'file';
  const type = file.type.replaceAll(/[\r\n]/g, '_');
  const before = Buffer.from(
    `${part('messaging_product')}\r\nwhatsapp\r\n${part('type')}\r\n${type}\r\n` +
      `${part('file', `; filename="${filename}"`)}Content-Type: ${type}\r\n\r\n`,
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield before;
    yield* file.bytes();
    yield after;
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(before.length + file.size + after.length),
    },
    body: Readable.from(whole()),
  };
}

/** Meta's own hosts: the token goes nowhere else, whatever address an answer contains. */
const META_HOST = /^(?:[a-z0-9-]+\.)*(?:fbsbx\.com|facebook\.com|whatsapp\.net)$/;

/** Files are kept at other hosts than the calls go to. */
const elsewhere = new Agent({ connect: CONNECTING });

/** Downloads a person's file: asks for its address, then reads it from there. */
export async function download(
  client: GraphClient,
  number: Account,
  mediaId: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<DownloadResult> {
  try {
    const answer = await client.call({
      method: 'GET',
      path: `${pathOf({ id: mediaId })}?phone_number_id=${encodeURIComponent(number.id)}`,
      accessToken: number.accessToken,
      signal,
    });
    const place = mediaAnswer.safeParse(jsonOf(answer.body)).data;
    if (answer.status >= 300 || !place) return withoutPlace(answer);
    if ((place.file_size ?? 0) > maxBytes) return gone('The file is too large.');
    const url = new URL(place.url);
    const known =
      url.origin === client.origin || (url.protocol === 'https:' && META_HOST.test(url.hostname));
    if (!known) return gone('The file is at an address that is not WhatsApp\u2019s.');
    const { statusCode, body } = await request(url, {
      dispatcher: elsewhere,
      headers: { ...WHO, authorization: `Bearer ${number.accessToken}` },
      signal: endOf(signal),
    });
    if (statusCode === 200)
      return { kind: 'found', type: place.mime_type ?? 'application/octet-stream', bytes: body };
    await body.dump();
    return refused(statusCode, [404, 410].includes(statusCode));
  } catch (error) {
    return { kind: 'later', message: messageOf(error) };
  }
}

const endOf = (signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(TRANSFER_MS), ...(signal ? [signal] : [])]);

const gone = (message: string): DownloadResult => ({ kind: 'gone', message });

/**
 * Whatever its status is, a code of Graph that stops the number, or asks it to wait, says nothing about the file. But
 * the id that is not known (100) is the file's own here.
 */
function withoutPlace(answer: Parameters<typeof classify>[0]): DownloadResult {
  const said = classify(answer);
  const ofNumber =
    (said.kind === 'halted' && said.providerCode !== INVALID_PARAMETER_CODE) ||
    (said.kind === 'throttled' && said.providerCode !== null);
  if (!ofNumber) return refused(answer.status, isForGood(answer.status));
  return { kind: 'later', message: `WhatsApp answered with the code ${said.providerCode}.` };
}

/** 401 and 429 may succeed later or with a new token; other refusals of Graph are final. */
const isForGood = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);

const refused = (status: number, forGood: boolean): DownloadResult => ({
  kind: forGood ? 'gone' : 'later',
  message: `WhatsApp answered ${status}.`,
});
