import { type AuditRecord, listAudit } from '../../audit/reading.ts';
import { csvHead, csvLine } from '../../csv.ts';
import type { ConsolePage, PageFile } from '../page.ts';
import { filtersOf } from './narrowing.ts';

const COLUMNS = [
  'seq',
  'created_at',
  'action',
  'actor_type',
  'actor_id',
  'actor_name',
  'member_id',
  'app_id',
  'target_type',
  'target_id',
  'target_name',
  'changes',
  'ip',
  'user_agent',
  'request_id',
  'member_name',
];
/** Entries read in one short transaction. */
const AT_ONCE = 1_000;

/** The log as a file, as it is narrowed by the address, newest first; entries added meanwhile are not in it. */
export const auditFile: ConsolePage = {
  path: '/audit.csv',
  permission: 'audit.read',
  view: async ({ ctx: { organizationId }, query }): Promise<PageFile> => ({
    name: `audit-${organizationId}.csv`,
    pieces: async function* (read) {
      yield csvHead(COLUMNS);
      let before: number | null = null;
      do {
        const part = { before, limit: AT_ONCE };
        const entries: AuditRecord[] = await read((sql) =>
          listAudit({ sql, organizationId }, part, filtersOf({ query })),
        );
        yield entries.map(lineOf).join('');
        before = entries.length === AT_ONCE ? (entries.at(-1)?.seq ?? null) : null;
      } while (before !== null);
    },
  }),
};

const lineOf = ({ seq, createdAt, action, actor, target, changes, ...from }: AuditRecord): string =>
  csvLine([
    seq,
    createdAt.toISOString(),
    action,
    actor.type,
    actor.id,
    actor.name,
    actor.member_id,
    actor.app_id,
    target.type,
    target.id,
    target.name,
    JSON.stringify(changes),
    from.ip,
    from.userAgent,
    from.requestId,
    actor.member_name ?? null,
  ]);
