import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';

const WRITE_EVERY_MS = 1_000;
const DIGITS = 16;

/** What the service has yet to be told about the ledger's messages: WhatsApp tells it, however often it is restarted. */
export interface Owed {
  /** Of all lines up to this one, the service had taken every webhook when the earlier run ended. */
  readonly toldUpTo: number;
  /** A line of the ledger that so many webhooks will follow. */
  add(n: number, webhooks: number): void;
  /** The service took one of them. */
  taken(n: number): void;
  close(): void;
}

const NOTHING_KEPT: Owed = {
  toldUpTo: Number.POSITIVE_INFINITY,
  add: () => {},
  taken: () => {},
  close: () => {},
};

/** Overwritten in place at a fixed width, so that a kill leaves one of the two numbers. */
function openMark(file: string): { read: number | null; write: (n: number) => void; fd: number } {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  const kept = readFileSync(fd, 'utf8');
  return {
    fd,
    read: kept === '' ? null : Number(kept),
    write: (n) => writeSync(fd, String(n).padStart(DIGITS), 0),
  };
}

/**
 * Keeps beside the ledger up to which of its lines everything was told, once a second: what was told since then is
 * told again after a kill, as WhatsApp repeats itself too.
 *
 * @param ledgerFile nothing is kept without one
 * @param lines the lines that it has; an older ledger owes nothing
 */
export function openOwed(ledgerFile: string | undefined, lines: number): Owed {
  if (!ledgerFile) return NOTHING_KEPT;
  const mark = openMark(`${ledgerFile}.told`);
  const open = new Map<number, number>();
  let written = mark.read ?? lines;
  let latest = Math.max(written, lines);

  const keep = (): void => {
    const [firstOpen = latest + 1] = open.keys();
    if (firstOpen - 1 === written) return;
    written = firstOpen - 1;
    mark.write(written);
  };
  if (mark.read === null) mark.write(written);
  const timer = setInterval(keep, WRITE_EVERY_MS).unref();

  return {
    toldUpTo: written,
    add: (n, webhooks) => {
      open.set(n, webhooks);
      latest = Math.max(latest, n);
    },
    taken: (n) => {
      const left = (open.get(n) ?? 0) - 1;
      if (left > 0) open.set(n, left);
      else open.delete(n);
    },
    close: () => {
      clearInterval(timer);
      keep();
      closeSync(mark.fd);
    },
  };
}
