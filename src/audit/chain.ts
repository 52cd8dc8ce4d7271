import { createHash } from 'node:crypto';
import type { Change } from './rules.ts';

/** Who did it. `member_id` and `app_id` are set for a person, and for an app acting for one. */
export interface AuditActor {
  readonly type: string;
  readonly id: string | null;
  readonly name: string;
  readonly member_id: string | null;
  readonly app_id: string | null;
}

/** What it was done to, under the name it had. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** An entry as it is hashed: everything a reader of the log relies on. */
export interface AuditEntry {
  /** Its place in the workspace's chain, which pages go by. */
  readonly seq: number;
  readonly id: string;
  readonly organizationId: string;
  readonly action: string;
  readonly actor: AuditActor;
  readonly target: AuditTarget;
  readonly changes: readonly Change[];
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** ISO 8601, milliseconds. */
  readonly createdAt: string;
}

/** The link before the first entry. */
export const NO_ENTRIES = { seq: 0, hash: Buffer.alloc(0) } as const;

/** Each hash covers the one before it, so no entry can be changed, left out or slipped in unnoticed. */
export const linkTo = (previous: Buffer, entry: AuditEntry): Buffer =>
  createHash('sha256').update(previous).update(canonical(entry)).digest();

/** JSON with sorted keys: PostgreSQL keeps the keys of a stored object in an order of its own. */
const canonical = (value: unknown): string => JSON.stringify(value, sortedKeys);

const sortedKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
