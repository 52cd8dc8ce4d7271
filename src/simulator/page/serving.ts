import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { type Mails, mailPage } from '../mail/mails.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const FILES: Readonly<Record<string, { file: string; type: string }>> = {
  '/': { file: 'phone.html', type: 'text/html; charset=utf-8' },
  '/phone.css': { file: 'phone.css', type: 'text/css; charset=utf-8' },
  '/phone.js': { file: 'phone.js', type: 'text/javascript; charset=utf-8' },
  '/mail.css': { file: 'mail.css', type: 'text/css; charset=utf-8' },
  '/phone.svg': { file: 'phone.svg', type: 'image/svg+xml' },
};

/**
 * Serves the phone in the browser, and the mails.
 *
 * @returns false for any other path
 */
export function servePage(res: ServerResponse, pathname: string, mails: Mails): boolean {
  if (pathname === '/mail') {
    res.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' });
    res.end(mailPage(mails.list(null)));
    return true;
  }
  const asset = FILES[pathname];
  if (!asset) return false;
  const body = readFileSync(path.join(import.meta.dirname, asset.file));
  res.writeHead(200, { ...HEADERS, 'content-type': asset.type, 'content-length': body.length });
  res.end(body);
  return true;
}
