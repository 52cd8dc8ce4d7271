import type { Context } from '../../../src/context.ts';
import type { Rules } from '../../../src/segments/rules.ts';
import { createSegment } from '../../../src/segments/service.ts';

/** Everybody with a tag, `vip` unless told otherwise. */
export const aSegment = (
  ctx: Context,
  { name = 'Clientes VIP', rules }: { name?: string; rules?: Rules } = {},
): Promise<{ id: string; count: number }> =>
  createSegment(ctx, {
    name,
    rules: rules ?? { field: 'tag', op: 'has_any', value: ['vip'] },
  });
