import { readMail } from './mime.ts';
import type { Delivered } from './smtp.ts';

/** A mail that was sent, as it is shown and listed. */
export interface MailEntry {
  /** Counts from 1. */
  readonly n: number;
  /** ISO 8601. */
  readonly t: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** All mail, in memory. */
export interface Mails {
  take(mail: Delivered): void;
  /** Oldest first; all, or those to one address. */
  list(to: string | null): MailEntry[];
}

/** Older ones are deleted. */
const KEPT = 500;

/** Keeps the last 500. */
export function createMails(): Mails {
  const entries: MailEntry[] = [];
  let count = 0;
  return {
    take: ({ from, to, raw }) => {
      count += 1;
      entries.push({ n: count, t: new Date().toISOString(), from, to, ...readMail(raw) });
      if (entries.length > KEPT) entries.shift();
    },
    list: (to) => {
      const wanted = to?.toLowerCase();
      return entries.filter(
        (entry) => !wanted || entry.to.some((address) => address.toLowerCase() === wanted),
      );
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

const LINK = /(https?:\/\/[^\s<>"]+)/;

/** Turns addresses in a text into links. */
const linked = (text: string): string =>
  text
    .split(LINK)
    .map((part) =>
      LINK.test(part) ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part),
    )
    .join('');

const entryHtml = ({ t, from, to, subject, text }: MailEntry): string =>
  `<article><h2>${escaped(subject)}</h2><p class="mail-head">${escaped(`${from} → ${to.join(', ')}`)} · <time>${t}</time></p><pre>${linked(text)}</pre></article>`;

/** Every mail, newest first. */
export const mailPage = (entries: readonly MailEntry[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mails · simulator</title>
<link rel="stylesheet" href="/mail.css">
</head>
<body>
<main>
<h1>Mails</h1>
<p><a href="/">To the phones</a></p>
${entries.length === 0 ? '<p>No mail was sent yet.</p>' : entries.toReversed().map(entryHtml).join('')}
</main>
</body>
</html>
`;
