import { z } from 'zod';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { guard } from '../http/guard.ts';

const patchShape = z.strictObject({
  /** Hours without a message after which a conversation is closed, 1 to 720; null never closes one. */
  idle_close_hours: z.int().min(1).max(720).nullable(),
});

export type WorkspaceSettings = z.output<typeof patchShape>;

interface SettingsRow extends WorkspaceSettings {
  readonly name: string;
}

/** Changes the settings for handling conversations (design decisions §13). Throws 422 `validation`. */
export async function changeSettings(
  ctx: Context,
  input: WorkspaceSettings,
): Promise<WorkspaceSettings> {
  const wanted = guard(patchShape, input);
  return transact(ctx, async (tx) => {
    const before = await first<SettingsRow>(
      tx.sql,
      'select name, idle_close_hours from workspaces where organization_id = $1 for no key update',
      [tx.organizationId],
    );
    if (!before) throw notFound('workspace');
    const { name, ...settings } = before;
    const changes = changesBetween({ ...settings }, { ...wanted });
    if (changes.length === 0) return wanted;
    await tx.sql.rows('update workspaces set idle_close_hours = $2 where organization_id = $1', [
      tx.organizationId,
      wanted.idle_close_hours,
    ]);
    const target = { type: 'workspace', id: tx.organizationId, name };
    await audit(tx, { action: 'workspace.updated', target, changes });
    return wanted;
  });
}
