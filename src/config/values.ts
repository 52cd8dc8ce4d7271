import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'is not a port number')
  .transform(Number)
  .refine((value) => value > 0 && value < 65_536, 'is not between 1 and 65535');

/** A whole number, both bounds included. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most,
      `is not a whole number from ${least} to ${most}`,
    )
    .transform(Number);

export const share = z
  .string()
  .refine((value) => /^(0(\.\d+)?|1(\.0+)?)$/.test(value), 'is not a number from 0 to 1')
  .transform(Number);

/** An absolute address. @param schemes with their colon: `https:` */
export const url = (schemes: readonly string[]) =>
  z.string().refine(
    (value) => {
      const parsed = URL.parse(value);
      return parsed !== null && schemes.includes(parsed.protocol);
    },
    `is not a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  );

export const webUrl = url(['http:', 'https:']);

/** Scheme, host and port, as a browser writes them: whatever is put behind it begins with a slash. */
export const origin = webUrl
  .refine(
    (value) => /^https?:\/\/[^/?#@\\]+\/?$/i.test(value),
    'is not a scheme, a host and a port alone, without a path',
  )
  .transform((value) => new URL(value).origin);

const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

/** Separated by commas, as a browser writes an origin: scheme, host and port, without a slash at the end. */
export const origins = list.refine(
  (all) => all.every((origin) => URL.parse(origin)?.origin === origin),
  'is not a list of exact origins',
);

/** Separated by commas: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. */
export const proxies = list.refine(
  (all) => all.every(isAddressOrNetwork),
  'is not a list of addresses and networks',
);

function isAddressOrNetwork(entry: string): boolean {
  const [address = '', bits = '0', ...rest] = entry.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

/** A path from where the process was started. */
export const file = z.string().refine((name) => {
  try {
    accessSync(name, constants.R_OK);
    return statSync(name).isFile();
  } catch {
    return false;
  }
}, 'is not a file that can be read');

export const address = z.string().refine((value) => {
  const [, port] = /^[^\s:/]+:(\d{1,5})$/.exec(value) ?? [];
  return Number(port) > 0 && Number(port) <= 65_535;
}, 'is not host:port');

/** Where something listens: the SDK looks up no names. */
export const socketAddress = z.string().refine((value) => {
  const [, host = '', port = ''] = /^\[?([^\]]*)\]?:(\d{1,5})$/.exec(value) ?? [];
  return isIP(host) > 0 && Number(port) <= 65_535 && value.startsWith('[') === (isIP(host) === 6);
}, 'is not an IP address with a port');

export const roles = z
  .string()
  .transform((value) => value.split(',').map((role) => role.trim()))
  .pipe(z.array(z.enum(['api', 'worker'], 'is not a list of the roles api and worker')).min(1));

/** Separated by commas; the first encrypts, all of them decrypt. Behind it, a lost key may be declared. */
export const keys = z
  .string()
  .regex(
    /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=(,[\w-]{1,32}:([A-Za-z0-9+/]{43}=|lost))*$/,
    'is not `id:base64` of 32 bytes',
  )
  .refine((value) => {
    const ids = value.split(',').map((key) => key.split(':')[0]);
    return new Set(ids).size === ids.length;
  }, 'is not a list of keys with an id of its own each');

/** The sender of mails. */
export const sender = z
  .string()
  .regex(
    /^(?:[^<>@\p{Cc}]{1,80} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'is not an address, with or without a name before it',
  );
