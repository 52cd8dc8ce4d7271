import { createHash } from 'node:crypto';
import type { Change } from './rules.ts';

/** Who did it. `member_id` and `app_id` are set for a person, and for an app acting for one. */
export interface AuditActor {
  readonly type: string;
  readonly id: string | null;
  readonly name: string;
  readonly member_id: string | null;
  /** Who it was at that time; entries of before this was recorded lack it. */
  readonly member_name?: string | null;
  readonly app_id: string | null;
}

/** What it was done to, under its name at that time. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** An entry in the form that is hashed: everything that readers of the log rely on. */
export interface AuditEntry {
  /** Its position in the workspace's chain, used for paging. */
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

/** Each hash covers the one before it, so that no entry can be changed, removed or inserted unnoticed. */
export const linkTo = (previous: Buffer, entry: AuditEntry): Buffer =>
  createHash('sha256').update(previous).update(canonical(entry)).digest();

/** JSON with sorted keys, because PostgreSQL stores the keys of an object in its own order. */
const canonical = (value: unknown): string => JSON.stringify(value, sortedKeys);

const sortedKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
