import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One send request and the simulator's decision. Tests treat these lines as the truth. */
export interface LedgerEntry {
  /** Position in the ledger, from 1. */
  n: number;
  /** Milliseconds since the epoch. */
  t: number;
  /** The caller's correlation, `biz_opaque_callback_data`. */
  key: string | null;
  phone_number_id: string;
  to: string;
  type: string;
  text: string | null;
  /** Null exactly if nothing was accepted. */
  wamid: string | null;
  /** `accepted`, `accepted:dropped`, `accepted:hung`, `refused:<error code>` or `refused:503`. */
  decision: string;
}

export interface Ledger {
  entries(): LedgerEntry[];
  /** Calls back with the line once it is in the file and in memory, or with the reason why it is not. */
  append(entry: Omit<LedgerEntry, 'n'>, written: (result: Error | LedgerEntry) => void): void;
  close(): void;
}

interface LedgerFile {
  fd: number;
  /** Bytes of complete lines. */
  size: number;
}

/** Opens a ledger with the lines of an earlier run, except one cut off when it was killed. */
function openFile(file: string): LedgerFile & { entries: LedgerEntry[] } {
  const fd = openSync(file, 'a+', 0o600);
  const bytes = readFileSync(fd);
  const size = bytes.lastIndexOf('\n') + 1;
  ftruncateSync(fd, size);
  const lines = bytes.toString('utf8', 0, size).split('\n').slice(0, -1);
  return { fd, size, entries: lines.map((line) => JSON.parse(line) as LedgerEntry) };
}

/** Appends all or nothing, because half a line would corrupt the next one. */
function appendTo(file: LedgerFile, text: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
    file.size += bytes.length;
  } catch (problem) {
    ftruncateSync(file.fd, file.size);
    throw problem;
  }
}

/**
 * Lines from one turn of the event loop are written together, before any of their requests is answered: one system
 * call for a burst, and still no answer without its line.
 */
export function openLedger(file?: string): Ledger {
  const opened = file ? openFile(file) : null;
  const entries = opened?.entries ?? [];
  let turn: { entry: LedgerEntry; written: (result: Error | LedgerEntry) => void }[] = [];
  let closed = false;

  const write = (): void => {
    const batch = turn;
    turn = [];
    try {
      if (opened && !closed) {
        appendTo(opened, batch.map(({ entry }) => `${JSON.stringify(entry)}\n`).join(''));
      }
    } catch (problem) {
      for (const { written } of batch) written(problem as Error);
      return;
    }
    for (const { entry } of batch) entries.push(entry);
    for (const { entry, written } of batch) written(entry);
  };

  return {
    entries: () => [...entries],
    append: (entry, written) => {
      turn.push({ entry: { n: entries.length + turn.length + 1, ...entry }, written });
      if (turn.length === 1) setImmediate(write);
    },
    close: () => {
      closed = true;
      if (opened) closeSync(opened.fd);
    },
  };
}
