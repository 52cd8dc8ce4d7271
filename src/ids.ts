import { randomFillSync } from 'node:crypto';
import { encodeTime, monotonicFactory, ulid as ulidAt } from 'ulid';

/** The prefix of each kind of record's ids (design decisions §0; `org` for workspaces is ours). */
export type IdPrefix =
  | 'org'
  | 'num'
  | 'con'
  | 'cnv'
  | 'msg'
  | 'cmp'
  | 'rcp'
  | 'team'
  | 'mem'
  | 'usr'
  | 'ses'
  | 'whk'
  | 'dlv'
  | 'evt'
  | 'key'
  | 'aud'
  | 'sva'
  | 'req'
  | 'fct'
  | 'grp'
  | 'pip'
  | 'stg'
  | 'dea'
  | 'rem'
  | 'rrn'
  | 'frm'
  | 'sub'
  | 'seg'
  | 'atm'
  | 'run'
  | 'imp'
  | 'med'
  | 'act'
  | 'app'
  | 'cnx';

const random = new Uint8Array(4_096);
let used = random.length;

/** Random bytes are drawn in bulk: an id needs 16, and a call for each would cost fifty times the id itself. */
function fraction(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}

const ulid = monotonicFactory(fraction);

let clock: () => number = Date.now;

/**
 * The clock of all ids from now on, in whole Unix milliseconds. The database's: a reply must not sort before the message
 * that another machine took in earlier.
 */
export function makeIdsBy(now: () => number): void {
  clock = now;
}

/**
 * `con_01J…`: sorts by creation, exactly within a process and as well as clocks can be compared between them, so newest
 * first is simply descending order.
 */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid(clock())}`;

/** An id as if made at another time, so that imported records keep their place in lists. */
export const newIdAt = (prefix: IdPrefix, at: Date): string =>
  `${prefix}_${ulidAt(at.getTime(), fraction)}`;

/** No id made at this time or later is smaller; the ids of a time span lie between two of these. */
export const idFloor = (prefix: IdPrefix, at: Date): string =>
  `${prefix}_${encodeTime(at.getTime())}`;

/** Whether it has the form of such an id: the prefix and an upper-case ULID. */
export const isId = (prefix: IdPrefix, value: string): boolean =>
  value.startsWith(`${prefix}_`) &&
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value.slice(prefix.length + 1));

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The time inside an id, in milliseconds since 1970, from which partitioned tables derive the day. */
export function idTime(id: string): number {
  const time = id.slice(id.indexOf('_') + 1).slice(0, 10);
  return [...time].reduce((total, digit) => total * 32 + CROCKFORD.indexOf(digit), 0);
}

/** The UTC day of an id, `YYYY-MM-DD`: the partition key of events and deliveries. */
export const idDay = (id: string): string => new Date(idTime(id)).toISOString().slice(0, 10);
