import { isIP } from 'node:net';
import type { FieldRule } from '../http/error-guide/field-rules.ts';

/** The rules that say by themselves what is wrong. */
const plain = [
  'https_only',
  'no_credentials',
  'no_ip',
  'reserved_domain',
  'port',
] as const satisfies readonly FieldRule[];
type Plain = (typeof plain)[number];
/** All others are `malformed`, each with a sentence of its own. */
type Fault = Plain | 'malformed' | 'length' | 'characters' | 'relative' | 'host' | 'fragment';

/** `href` is the canonical form, which is stored, shown and connected to; the given text never is. */
type UrlVerdict =
  | { ok: true; href: string }
  | { ok: false; rule: Plain | 'malformed'; message: string };

const messages: Record<Fault, string> = {
  https_only: 'The URL must start with https://.',
  no_credentials: 'The URL must not contain a user name or a password.',
  no_ip: 'The URL must name a host, not an IP address.',
  reserved_domain: 'The URL must name a public domain.',
  port: 'The port must be 443 or between 1024 and 65535.',
  malformed: 'The URL is not a valid absolute URL.',
  length: 'The URL must have at most 2,048 characters, as it is sent.',
  characters: 'The URL must not contain spaces, backslashes or control characters.',
  relative: 'The URL must be absolute, as https://hooks.example.com/in.',
  host: 'The host name must consist of letters, digits and hyphens, with dots between them.',
  fragment: 'The URL must not contain #.',
};

const MAX_LENGTH = 2_048;
/** Top-level labels that never lead to a public server. */
const reserved =
  /(^|\.)(localhost|local|internal|localdomain|home\.arpa|onion|test|invalid|example)$/;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** C0, DEL, space and backslash: the parser silently removes or rewrites them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const forbidden = /[\u0000-\u0020\u007f\\]/;

const refuse = (fault: Fault): UrlVerdict => ({
  ok: false,
  rule: plain.find((rule) => rule === fault) ?? 'malformed',
  message: messages[fault],
});

/** Faults visible only in the raw text, because the parser repairs them; null if there are none. */
function faultInText(raw: string): Fault | null {
  if (raw.length > MAX_LENGTH) return 'length';
  if (forbidden.test(raw)) return 'characters';
  if (!/^https:\/\//i.test(raw)) {
    return /^[a-z][a-z0-9+.-]*:/i.test(raw) && !/^https:/i.test(raw) ? 'https_only' : 'relative';
  }
  const authority = raw.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';
  // An empty user name ("https://@host/") leaves no trace in the parsed URL.
  if (authority.includes('@')) return 'no_credentials';
  return authority === '' ? 'relative' : null;
}

function faultInHost(hostname: string): Fault | null {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (hostname.startsWith('[') || isIP(host) !== 0) return 'no_ip';
  if (host.length > 253) return 'host';
  if (reserved.test(host)) return 'reserved_domain';
  const labels = host.split('.');
  if (!labels.every((part) => label.test(part))) return 'host';
  if (labels.length < 2) return 'reserved_domain';
  return /^\d+$/.test(labels.at(-1) ?? '') ? 'no_ip' : null;
}

function isTrusted(raw: string, parsed: URL, trustedOrigins: readonly string[]): boolean {
  if (raw.length > MAX_LENGTH || forbidden.test(raw)) return false;
  // The href starts with the origin only if there are no credentials, and not for blob: URLs.
  return parsed.href.startsWith(`${parsed.origin}/`) && trustedOrigins.includes(parsed.origin);
}

/** Asked last: an address that must not be called is told so first, whatever stands behind its host. */
function faultBehindHost(raw: string, { port, href }: URL): Fault | null {
  if (port !== '' && Number(port) < 1_024) return 'port';
  // It is never sent, so writing one must be a mistake.
  if (raw.includes('#')) return 'fragment';
  // What is shown must be accepted again.
  return href.length > MAX_LENGTH ? 'length' : null;
}

/**
 * Whether a customer may have us call this URL (specification, "POST /v1/webhooks body"; design decisions §9). Looks
 * only at the text and asks no name server. An exact trusted origin is accepted as it is.
 *
 * @param trustedOrigins origins such as `http://127.0.0.1:3999`, from the operator
 */
export function checkEndpointUrl(raw: string, trustedOrigins: readonly string[]): UrlVerdict {
  const parsed = URL.canParse(raw) ? new URL(raw) : null;
  if (parsed && isTrusted(raw, parsed, trustedOrigins)) return { ok: true, href: parsed.href };

  const textFault = faultInText(raw);
  if (textFault) return refuse(textFault);
  if (!parsed) return refuse('malformed');
  if (parsed.username !== '' || parsed.password !== '') return refuse('no_credentials');
  const fault = faultInHost(parsed.hostname) ?? faultBehindHost(raw, parsed);
  return fault ? refuse(fault) : { ok: true, href: parsed.href };
}
