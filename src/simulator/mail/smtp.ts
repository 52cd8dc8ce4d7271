import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail that the server received: the envelope and the raw message. */
export interface Delivered {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

export interface SmtpServer {
  readonly port: number;
  stop(): Promise<void>;
}

const MAX_BYTES = 1024 * 1024;
const PATH = /^(?:MAIL FROM|RCPT TO):\s*<([^<>]*)>/i;

interface Envelope {
  from: string;
  to: string[];
}

/** As much of RFC 5321 as a mail client needs: accepts every mail and forwards none. */
export async function startSmtpServer(
  { port, host }: { readonly port: number; readonly host: string },
  deliver: (mail: Delivered) => void,
): Promise<SmtpServer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    converse(socket, deliver);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function converse(socket: Socket, deliver: (mail: Delivered) => void): void {
  let buffer = '';
  let mail: Envelope = { from: '', to: [] };
  let inData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);

  const finish = (text: string): void => {
    inData = false;
    // A line that begins with a dot is sent with two.
    deliver({ ...mail, raw: text.replace(/^\.\./gm, '.') });
    mail = { from: '', to: [] };
    say('250 taken');
  };

  const answers: Readonly<Record<string, (line: string) => void>> = {
    EHLO: () => say(`250-simulator\r\n250-SIZE ${MAX_BYTES}\r\n250 8BITMIME`),
    HELO: () => say('250 simulator'),
    MAIL: (line) => {
      mail = { from: PATH.exec(line)?.[1] ?? '', to: [] };
      say('250 ok');
    },
    RCPT: (line) => {
      const to = PATH.exec(line)?.[1];
      if (to) mail.to.push(to);
      say(to ? '250 ok' : '501 an address is expected');
    },
    DATA: () => {
      inData = mail.to.length > 0;
      say(inData ? '354 go on' : '503 to whom?');
    },
    RSET: () => {
      mail = { from: '', to: [] };
      say('250 ok');
    },
    NOOP: () => say('250 ok'),
    QUIT: () => {
      socket.end('221 bye\r\n');
    },
  };

  /**
   * @returns whether there was something to read from the buffer
   */
  const step = (): boolean => {
    const end = inData ? '\r\n.\r\n' : '\r\n';
    const at = buffer.indexOf(end);
    if (at === -1) return false;
    const part = buffer.slice(0, at);
    buffer = buffer.slice(at + end.length);
    if (inData) finish(part);
    else (answers[part.slice(0, 4).toUpperCase()] ?? (() => say('502 not here')))(part);
    return true;
  };

  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    buffer += chunk;
    while (step());
    if (buffer.length > MAX_BYTES) socket.end('552 too large\r\n');
  });
  say('220 simulator');
}
