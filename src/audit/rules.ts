/** A field's value, as an audit entry shows it. */
export type AuditValue = string | number | boolean | null | readonly string[];

/** One changed field; null for no value. */
export interface Change {
  readonly field: string;
  readonly from: AuditValue;
  readonly to: AuditValue;
}

/** Fields whose content never enters the log, only the fact that they changed (design decisions §19). */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set([
  'access_token',
  'hash',
  'key',
  'notes',
  'password',
  'password_hash',
  'previous_secret',
  'secret',
  'text',
]);

const HIDDEN = '[hidden]';

const shown = (value: AuditValue): AuditValue => (value === null ? null : HIDDEN);

/** Secrets are logged as changed, never with their value. */
export const withoutSecrets = (change: Change): Change =>
  HIDDEN_FIELDS.has(change.field)
    ? { field: change.field, from: shown(change.from), to: shown(change.to) }
    : change;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The fields of `to` that differ from `from`, in the order of `to`. */
export const changesBetween = (
  from: Readonly<Record<string, AuditValue>>,
  to: Readonly<Record<string, AuditValue | undefined>>,
): Change[] =>
  Object.entries(to).flatMap(([field, value]) => {
    const before = from[field] ?? null;
    return value === undefined || same(before, value) ? [] : [{ field, from: before, to: value }];
  });
