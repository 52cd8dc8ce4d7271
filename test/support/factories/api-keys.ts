import { SCOPE_NAMES, type Scope } from '../../../src/access/scopes.ts';
import { createApiKey } from '../../../src/api-keys/service.ts';
import type { Context } from '../../../src/context.ts';

/** A working API key of the workspace, with every scope unless told. */
export const anApiKey = (
  ctx: Context,
  scopes: readonly Scope[] = SCOPE_NAMES,
): Promise<{ id: string; key: string }> =>
  createApiKey(ctx, { name: 'Integração', scopes, lifetime: 'never' });
