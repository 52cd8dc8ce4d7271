export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** Subject and text of a mail with one part of plain text (RFC 5322, 2045, 2047). @param raw bytes as latin1 */
export function readMail(raw: string): MailText {
  const at = raw.indexOf('\r\n\r\n');
  const head = at === -1 ? raw : raw.slice(0, at);
  const headers = new Map(
    head
      .replace(/\r\n[\t ]+/g, ' ')
      .split('\r\n')
      .map((line) => {
        const [name = '', ...rest] = line.split(':');
        return [name.toLowerCase(), rest.join(':').trim()];
      }),
  );
  const body = at === -1 ? '' : raw.slice(at + 4);
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? '7bit';
  const text = decoded(body, encoding).toString('utf8').replaceAll('\r\n', '\n').trimEnd();
  return { subject: words(headers.get('subject') ?? ''), text };
}

function decoded(text: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(text, 'latin1');
  // A soft break is the sign and blanks behind it; those before it belong to the text (RFC 2045 §6.7).
  return unquoted(text.replace(/=[\t ]*\r\n/g, ''));
}

const unquoted = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );

const WORD = /=\?utf-8\?([qb])\?([^?]*)\?=/gi;

/** Encoded words; a space between two of them is no part of the text. */
function words(text: string): string {
  const joined = text.replace(/\?=\s+=\?/g, '?==?');
  const bytes = joined.replace(WORD, (_, kind: string, value: string) =>
    kind.toLowerCase() === 'b'
      ? Buffer.from(value, 'base64').toString('latin1')
      : unquoted(value.replaceAll('_', ' ')).toString('latin1'),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
