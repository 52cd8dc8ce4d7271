import { connect } from 'node:net';
import { CommandError } from '../../output.ts';

/** `localhost:4000/hooks` means http, and `4000/hooks` a port of this machine. The stored form has no fragment. */
export function forwardUrl(given: string): string {
  // URL would take the first part of a path for the host: /hooks for http://hooks.
  const url = given.startsWith('/') ? null : URL.parse(withScheme(given));
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new CommandError(
      `--forward-to ${given} is no address to post to. Example: http://localhost:4000/hooks`,
    );
  if (url.username !== '' || url.password !== '')
    throw new CommandError('--forward-to may not hold a user name or a password.');
  url.hash = '';
  return url.href;
}

function withScheme(given: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return given;
  // URL would read a number as an address: 4000 as 0.0.15.160.
  return /^\d+(?:[/?#]|$)/.test(given) ? `http://localhost:${given}` : `http://${given}`;
}

const CONNECT_MS = 3_000;

/**
 * Whether anything accepts connections there. Checked before each request, because a request not yet begun can wait,
 * whereas one that broke off counts as an attempt.
 */
export function takesConnections(address: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const answer = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(CONNECT_MS, () => answer(false));
    socket.on('connect', () => answer(true));
    socket.on('error', () => answer(false));
  });
}
