import { z } from 'zod';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { language, timeZone } from '../http/fields.ts';
import { guard } from '../http/guard.ts';

/** Each of them may be changed alone. */
export const settings = z.strictObject({
  /** Hours without a message after which a conversation is closed, 1 to 720; null never closes one. */
  idle_close_hours: z.int().min(1).max(720).nullable(),
  /** Local times are read in it, and the days of reports begin in it. */
  time_zone: timeZone(),
  /** Decides the words of public pages, how dates and numbers are written, and the country of local phones. */
  language: language(),
});
const patchShape = settings.partial();

export type WorkspaceSettings = z.output<typeof settings>;
export type SettingsChange = z.input<typeof patchShape>;

interface SettingsRow extends WorkspaceSettings {
  readonly name: string;
}

const READ =
  'select name, idle_close_hours, time_zone, language from workspaces where organization_id = $1';

/** Throws 404 if the workspace is gone. */
export async function readSettings({
  sql,
  organizationId,
}: InWorkspace): Promise<WorkspaceSettings> {
  const row = await first<SettingsRow>(sql, READ, [organizationId]);
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
    const row = await first<SettingsRow>(tx.sql, `${READ} for no key update`, [tx.organizationId]);
    if (!row) throw notFound('workspace');
    const { name, ...before } = row;
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    const after: WorkspaceSettings = { ...before, ...Object.fromEntries(named) };
    const changes = changesBetween({ ...before }, { ...after });
    if (changes.length === 0) return after;
    await tx.sql.rows(
      'update workspaces set idle_close_hours = $2, time_zone = $3, language = $4 where organization_id = $1',
      [tx.organizationId, after.idle_close_hours, after.time_zone, after.language],
    );
    const target = { type: 'workspace', id: tx.organizationId, name };
    await audit(tx, { action: 'workspace.updated', target, changes });
    return after;
  });
}
