// X.509 by hand: Node reads certificates but does not make them, and fixtures would expire.
import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export interface Identity {
  key: string;
  cert: string;
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const length =
    body.length < 128
      ? Buffer.from([body.length])
      : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
const name = (text: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const critical = der(0x01, Buffer.from([0xff]));
const isAuthority = sequence(
  oid('551d13'),
  critical,
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
);
const alternativeName = (host: string) =>
  sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))));

interface Request {
  subject: string;
  issuer: string;
  signWith: KeyObject;
  publicKey: KeyObject;
  notAfter: Date;
  extension: Buffer;
}

function certificate(request: Request): string {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const unsigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    name(request.issuer),
    sequence(time(new Date(Date.now() - 172_800_000)), time(request.notAfter)),
    name(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(request.extension)),
  );
  const signature = createSign('sha256').update(unsigned).sign(request.signWith);
  const whole = sequence(unsigned, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** An authority for one test run: `ca` to trust it, `issue` for its servers' certificates. */
export function certificateAuthority(authorityName = 'Test authority') {
  const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = keys();
  const inAYear = new Date(Date.now() + 365 * 86_400_000);

  const ca = certificate({
    subject: authorityName,
    issuer: authorityName,
    signWith: authority.privateKey,
    publicKey: authority.publicKey,
    notAfter: inAYear,
    extension: isAuthority,
  });

  const issue = (host: string, notAfter = inAYear): Identity => {
    const { publicKey, privateKey } = keys();
    const cert = certificate({
      subject: host,
      issuer: authorityName,
      signWith: authority.privateKey,
      publicKey,
      notAfter,
      extension: alternativeName(host),
    });
    return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
  };

  return { ca, issue };
}

/** A certificate that vouches for itself. */
export function selfSigned(host: string): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certificate({
    subject: host,
    issuer: host,
    signWith: privateKey,
    publicKey,
    notAfter: new Date(Date.now() + 365 * 86_400_000),
    extension: alternativeName(host),
  });
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}
