import type { Context } from '../../src/context.ts';
import { rowsOf } from './rows-of.ts';

/** Moves the workspace to where it is noon: no day or month ends there while a test looks at it. */
export async function itIsNoon(ctx: Context): Promise<void> {
  const ahead = 12 - new Date().getUTCHours();
  // These names count westwards.
  const zone = ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
  await rowsOf(ctx, 'update workspaces set time_zone = $1', [zone]);
}
