import { z } from 'zod';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { language, nameUpTo, timeZone } from '../http/fields.ts';
import { guard } from '../http/guard.ts';

/** Each of them may be changed alone. */
export const settings = z.strictObject({
  /** Stands on public forms, in invitations, and where people choose among their workspaces. */
  name: nameUpTo(80),
  /** Hours without a message after which a conversation is closed, 1 to 720; null never closes one. */
  idle_close_hours: z.int().min(1).max(720).nullable(),
  /** Local times are read in it, and the days of reports begin in it. */
  time_zone: timeZone(),
  /** Decides the words of public pages, and how the numbers, dates and phones that people write are read. */
  language: language(),
});
const patchShape = settings.partial();

export type WorkspaceSettings = z.output<typeof settings>;
export type SettingsChange = z.input<typeof patchShape>;

const READ =
  'select name, idle_close_hours, time_zone, language from workspaces where organization_id = $1';

/** Throws 404 if the workspace is gone. */
export async function readSettings({
  sql,
  organizationId,
}: InWorkspace): Promise<WorkspaceSettings> {
  const row = await first<WorkspaceSettings>(sql, READ, [organizationId]);
  if (!row) throw notFound('workspace');
  return row;
}

/** Changes the settings that are given and returns all of them. Throws 422 `validation`. */
export async function changeSettings(
  ctx: Context,
  input: SettingsChange,
): Promise<WorkspaceSettings> {
  const given = guard(patchShape, input);
  return transact(ctx, async (tx) => {
    const lock = `${READ} for no key update`;
    const before = await first<WorkspaceSettings>(tx.sql, lock, [tx.organizationId]);
    if (!before) throw notFound('workspace');
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    const after: WorkspaceSettings = { ...before, ...Object.fromEntries(named) };
    const changes = changesBetween({ ...before }, { ...after });
    if (changes.length === 0) return after;
    await tx.sql.rows(
      'update workspaces set name = $2, idle_close_hours = $3, time_zone = $4, language = $5 where organization_id = $1',
      [tx.organizationId, after.name, after.idle_close_hours, after.time_zone, after.language],
    );
    const target = { type: 'workspace', id: tx.organizationId, name: after.name };
    await audit(tx, { action: 'workspace.updated', target, changes });
    return after;
  });
}
