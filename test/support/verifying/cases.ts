import {
  decodeSecret,
  newSecret,
  signatureHeaders,
} from '../../../src/webhooks/signing/signature.ts';

/** Why a verifier must refuse; the client of ours uses these words too. */
export type Fault = 'headers' | 'timestamp' | 'signature' | 'secret';

/** One delivery as a receiver sees it, and what a verifier must make of it. */
export interface VerifyCase {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The receiver's clock, Unix seconds. */
  readonly now: number;
  readonly fault: Fault | null;
  /** Whether public verifiers are expected to agree; not where the choice is ours (several secrets, unusual bytes). */
  readonly publicly: boolean;
}

export const NOW = Date.parse('2026-11-20T12:00:00Z') / 1_000;
const ID = 'evt_01KAH8Y3V8Q2M4N6P8R0S2T4V6';
const secret = newSecret();
const next = newSecret();
const stranger = newSecret();
const BODY = Buffer.from(
  JSON.stringify({ id: ID, type: 'message.received', data: { message: { text: 'Oi' } } }),
);

interface Wishes {
  readonly signers?: readonly string[];
  readonly timestamp?: number;
  readonly body?: Buffer;
}

/** What the service itself sends. */
const signed = ({ signers = [secret], timestamp = NOW, body = BODY }: Wishes = {}) =>
  signatureHeaders({ id: ID, timestamp, body }, signers.map(decodeSecret));

const good = signed();
const signature = good['webhook-signature'];

const oneCase = (name: string, fault: Fault | null, given: Partial<VerifyCase>): VerifyCase => ({
  name,
  fault,
  secrets: [secret],
  headers: good,
  body: BODY,
  now: NOW,
  publicly: true,
  ...given,
});

const accepted = (name: string, given: Partial<VerifyCase>) => oneCase(name, null, given);
const refused = (name: string, fault: Fault, given: Partial<VerifyCase>) =>
  oneCase(name, fault, given);

const withBody = (body: Buffer): Partial<VerifyCase> => ({ body, headers: signed({ body }) });
const withHeader = (name: string, value: string): Partial<VerifyCase> => ({
  headers: { ...good, [`webhook-${name}`]: value },
});
const withoutHeader = (name: string): Partial<VerifyCase> => ({
  headers: Object.fromEntries(Object.entries(good).filter(([key]) => key !== `webhook-${name}`)),
});

/** The lowest bit of one byte is the other way round. */
function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
const flippedText = (text: string, at: number): string =>
  flipped(Buffer.from(text, 'latin1'), at).toString('latin1');

/** The same 32 bytes in base64 that no encoder writes: the two bits that do not count are set. */
const loose = signature.replace(/(.)=$/, (_, last: string) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return `${letters[letters.indexOf(last) + 1]}=`;
});

const unicode = Buffer.from(`{"text": "Olá 👋🏽 \u2028 e\u0301 日本 \\ud83d \\u0000"}`);

/** What every verifier must answer alike (specification, "Signature verification"). */
export const verifyCases: readonly VerifyCase[] = [
  accepted('a delivery as the service sends it', {}),
  accepted('the second of two signatures, for a receiver that has the old secret', {
    headers: signed({ signers: [next, secret] }),
  }),
  accepted('the first of two signatures, for a receiver that has the new secret', {
    headers: signed({ signers: [next, secret] }),
    secrets: [next],
  }),
  accepted('a receiver that has both secrets, before the service rotates', {
    secrets: [next, secret],
    publicly: false,
  }),
  accepted('a timestamp of exactly 5 minutes ago', { now: NOW + 300 }),
  accepted('a timestamp of exactly 5 minutes ahead', { now: NOW - 300 }),
  accepted('a signature of another scheme beside the good one', {
    ...withHeader('signature', `v2,${signature.slice(3)} ${signature}`),
  }),
  accepted('signatures that are no base64, or nothing, beside the good one', {
    ...withHeader('signature', `v1,!!!! v1, v1 , ${signature}`),
  }),
  accepted('a body of many alphabets, with escapes', withBody(unicode)),
  accepted('a body with a line break at the end', withBody(Buffer.from('{"a":1}\r\n'))),
  accepted('a body with bytes that are not UTF-8', {
    ...withBody(Buffer.from('{"a":"\xff\xfe"}', 'latin1')),
    publicly: false,
  }),

  refused('another secret', 'signature', { secrets: [stranger] }),
  refused('the signature of a stranger beside another', 'signature', {
    headers: signed({ signers: [stranger, next] }),
  }),
  ...[0, 40, BODY.length - 1].map((at) =>
    refused(`a bit flipped in byte ${at} of the body`, 'signature', { body: flipped(BODY, at) }),
  ),
  refused('a body that lost its last byte', 'signature', { body: BODY.subarray(0, -1) }),
  refused('a body that was parsed and written again', 'signature', {
    ...withBody(unicode),
    body: Buffer.from(JSON.stringify(JSON.parse(unicode.toString()))),
  }),
  refused('a bit flipped in the id', 'signature', withHeader('id', flippedText(ID, 20))),
  refused('a bit flipped in the timestamp', 'signature', withHeader('timestamp', `${NOW + 1}`)),
  // The public verifiers sign the number as they parsed it, not the text that was sent.
  refused('a timestamp with a nought in front', 'signature', {
    ...withHeader('timestamp', `0${NOW}`),
    publicly: false,
  }),
  refused(
    'a bit flipped in the signature',
    'signature',
    withHeader('signature', flippedText(signature, 20)),
  ),
  refused('only a signature of another scheme', 'signature', {
    ...withHeader('signature', signature.replace('v1', 'v2')),
  }),
  refused('a signature without its label', 'signature', {
    ...withHeader('signature', signature.slice(3)),
  }),
  refused('a signature whose label is written large', 'signature', {
    ...withHeader('signature', signature.replace('v1', 'V1')),
  }),
  refused('a signature that is no base64', 'signature', withHeader('signature', 'v1,!!!!')),
  refused('an empty signature', 'signature', withHeader('signature', 'v1,')),
  refused('a signature cut short', 'signature', withHeader('signature', signature.slice(0, -5))),
  refused('a signature without its padding', 'signature', {
    ...withHeader('signature', signature.slice(0, -1)),
  }),
  refused('a signature in base64 that no encoder writes', 'signature', {
    ...withHeader('signature', loose),
  }),

  refused('a timestamp of 5 minutes and 1 second ago', 'timestamp', { now: NOW + 301 }),
  refused('a timestamp of 5 minutes and 1 second ahead', 'timestamp', { now: NOW - 301 }),
  ...['soon', `-${NOW}`, '1e9', `0x${NOW.toString(16)}`, '9'.repeat(30)].map((text) =>
    refused(`the timestamp ${text}`, 'timestamp', withHeader('timestamp', text)),
  ),
  refused('a timestamp with a fraction', 'timestamp', {
    ...withHeader('timestamp', `${NOW}.5`),
    publicly: false,
  }),
  ...['id', 'timestamp', 'signature'].flatMap((name) => [
    refused(`no webhook-${name}`, 'headers', withoutHeader(name)),
    refused(`an empty webhook-${name}`, 'headers', withHeader(name, '')),
  ]),

  ...Object.entries({
    'that is empty': '',
    'of nothing but its label': 'whsec_',
    'whose key is too short': 'whsec_c2hvcnQ=',
    'without its label': secret.slice(6),
    'that is no base64': `whsec_!${secret.slice(7)}`,
  }).map(([how, wrong]) =>
    refused(`a secret ${how}`, 'secret', { secrets: [wrong], publicly: false }),
  ),
];
