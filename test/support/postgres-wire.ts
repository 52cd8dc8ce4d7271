import { openWire, type Wire } from './wire.ts';

/** A wire to PostgreSQL, on which answers get lost and connections go silent. */
export interface PostgresWire extends Pick<Wire, 'silence'> {
  /** The database's address through the wire. */
  readonly url: string;
  /** From now on, that share of the answers to commits, each with its connection: the client never hears of them. */
  lose(share: number): void;
  /** How many there were so far. */
  readonly lost: number;
}

/** A message of the server is a letter, and its length in four bytes, which counts itself. */
const HEAD = 5;
const READY_FOR_QUERY = 'Z';
const COMMAND_COMPLETE = 'C';
const NOTIFICATION = 'A';
/** Outside of a transaction each statement commits by itself. */
const CHANGED = /^(COMMIT|(INSERT 0|UPDATE|DELETE) [1-9])/;

export async function onPostgresWire(
  database: string,
  play: (wire: PostgresWire) => Promise<void>,
): Promise<void> {
  const url = new URL(database);
  let share = 0;
  let lost = 0;
  const isLost = (): boolean => {
    if (Math.random() >= share) return false;
    lost += 1;
    return true;
  };
  const wire = await openWire(url.host, (near, far) => {
    const answers = readAnswers(
      (bytes) => near.write(bytes),
      () => {
        if (!isLost()) return false;
        near.destroy();
        return true;
      },
    );
    far.on('data', answers.add);
    far.on('end', () => near.end(answers.rest()));
  });
  url.host = wire.address;
  try {
    await play({
      url: url.href,
      lose: (wanted) => {
        share = wanted;
      },
      get lost() {
        return lost;
      },
      silence: wire.silence,
    });
  } finally {
    wire.close();
  }
}

/**
 * Passes on at once what belongs together: everything up to "ready for the next query", by when the server has
 * committed. Before the first of these both sides ask each other who they are.
 *
 * @param lose asked when that is a commit; whether it is lost, and everything after it.
 */
function readAnswers(pass: (bytes: Buffer) => void, lose: () => boolean) {
  let unread = Buffer.alloc(0);
  let held: Buffer[] = [];
  let isOpen = false;
  let hasCommitted = false;
  let isOver = false;

  const passHeld = (): void => {
    if (held.length > 0) pass(Buffer.concat(held));
    held = [];
  };

  const ready = (isIdle: boolean): void => {
    isOver = isIdle && hasCommitted && lose();
    if (!isOver) passHeld();
    if (isIdle) hasCommitted = false;
    isOpen = true;
  };

  const take = (message: Buffer): void => {
    const letter = message.toString('latin1', 0, 1);
    const says = message.toString('latin1', HEAD);
    const comesAlone = letter === NOTIFICATION && held.length === 0;
    held.push(message);
    if (letter === COMMAND_COMPLETE) hasCommitted ||= CHANGED.test(says);
    if (letter === READY_FOR_QUERY) ready(says === 'I');
    else if (comesAlone || !isOpen) passHeld();
  };

  return {
    add: (more: Buffer): void => {
      unread = Buffer.concat([unread, more]);
      while (!isOver && unread.length >= HEAD) {
        const end = 1 + unread.readUInt32BE(1);
        if (unread.length < end) return;
        const message = unread.subarray(0, end);
        unread = unread.subarray(end);
        take(message);
      }
    },
    rest: (): Buffer => Buffer.concat([...held, unread]),
  };
}
