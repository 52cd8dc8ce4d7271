import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  readonly format: 'json' | 'pretty';
}

const SECRET_FIELDS = [
  'authorization',
  'secret',
  'password',
  'token',
  'key',
  'access_token',
  'cookie',
];
const SECRETS = /\b(sk_live_|whsec_|cs_live_)[A-Za-z0-9+/=_-]+|(Bearer )\S+/g;
const PHONE = /\+\d{4,15}\b/g;
/** Mail servers name the recipient whom they refuse. The domain stays, by which operators find the server. */
const EMAIL = /([^\s<>()"':,;@/\\])[^\s<>()"':,;@/\\]{0,63}(@(?:[a-z\d-]+\.)+[a-z]{2,})\b/gi;

/** Removes what must never be logged: keys, bearer tokens, secrets in URLs, most of a phone number or an e-mail address. */
export const redact = (text: string): string =>
  text
    .replace(
      SECRETS,
      (_, prefix: string | undefined, bearer: string | undefined) =>
        `${prefix ?? bearer}[redacted]`,
    )
    .replace(PHONE, (phone) => `${phone.slice(0, 5)}…${phone.slice(-2)}`)
    .replace(/([?&](?:token|secret|key|password)=)[^&\s]+/gi, '$1[redacted]')
    .replace(/(postgres(?:ql)?:\/\/[^:\s]+:)[^@\s]+@/g, '$1[redacted]@')
    .replace(EMAIL, '$1…$2');

/** One JSON line per entry, or readable lines on a terminal. Strings are redacted before they are written. */
export function createLog({ level, format }: LogOptions): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
      censor: '[redacted]',
    },
    serializers: { err: serializeError },
    hooks: {
      logMethod(args, method) {
        const cleaned = args.map((arg: unknown) => (typeof arg === 'string' ? redact(arg) : arg));
        method.apply(this, cleaned as Parameters<typeof method>);
      },
    },
  };
  return format === 'pretty'
    ? pino({ ...options, transport: { target: 'pino-pretty', options: PRETTY } })
    : pino(options, standardOutput());
}

const PRETTY = { colorize: true, translateTime: 'HH:MM:ss', singleLine: true };

/** In bytes. What comes while so much waits to be written is dropped. */
const MOST_WAITING = 4 * 1024 * 1024;

/**
 * A full disk under it costs lines, and not the process: with no listener the first error would end it, and at its exit
 * what waits would be tried again for ever.
 */
function standardOutput(): DestinationStream {
  const out = pino.destination({ dest: 1, sync: false, maxLength: MOST_WAITING });
  const { flushSync } = out;
  out.on('error', () => {
    out.flushSync = () => {};
  });
  out.on('write', () => {
    out.flushSync = flushSync;
  });
  return out;
}

function serializeError(error: unknown): unknown {
  if (typeof error === 'string') return redact(error);
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return {
    name,
    message: redact(message),
    ...(stack ? { stack: redact(stack) } : {}),
    ...(cause ? { cause: serializeError(cause) } : {}),
  };
}

let passed = 0;

/**
 * What fails in one workspace, and is left for the next time so that it holds up no other: nothing else fails by it, so
 * it is counted for an alert.
 */
export function logPassedOver(
  log: Pick<Log, 'error'>,
  about: { readonly err: unknown; readonly organizationId: string; readonly automationId?: string },
  words: string,
): void {
  passed += 1;
  log.error(about, words);
}

/** How often, since this process began. */
export const passedOver = (): number => passed;
