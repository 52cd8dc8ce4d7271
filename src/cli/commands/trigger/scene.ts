import { findByPhone } from '../../../contacts/identity/identities.ts';
import { createContact } from '../../../contacts/service.ts';
import type { Context } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import { transact } from '../../../db/transact.ts';
import { CommandError } from '../../output.ts';

/** The contact used each time. The simulator delivers to this phone. */
export const PERSON = { name: 'Trigger Test', phone: '+5511970900001' };

export async function contactOf(ctx: Context): Promise<string> {
  const known = await transact(ctx, (tx) => findByPhone(tx, PERSON.phone));
  return known?.id ?? (await createContact(ctx, PERSON)).id;
}

/** What is triggered leaves people behind, whose phones may be somebody's: no number may be there to write to them. */
export async function refuseRealNumbers(ctx: Context): Promise<void> {
  const real = await transact(ctx, (tx) =>
    first<{ id: string }>(
      tx.sql,
      "select id from numbers where organization_id = $1 and provider <> 'sandbox' order by id limit 1",
      [ctx.organizationId],
    ),
  );
  if (real)
    throw new CommandError(
      `The workspace has a number that is not of the sandbox (${real.id}), and a trigger makes people up, whose phones may be ` +
        'somebody’s. Use a workspace with sandbox numbers alone: --workspace org_…',
    );
}

export interface SandboxNumber {
  readonly id: string;
  readonly phoneNumberId: string;
}

/** A connected sandbox number, preferably one without the 24-hour window. */
export async function sandboxNumber(ctx: Context): Promise<SandboxNumber> {
  const number = await transact(ctx, (tx) =>
    first<SandboxNumber>(
      tx.sql,
      `select id, phone_number_id as "phoneNumberId" from numbers
       where organization_id = $1 and provider = 'sandbox' and status in ('connected', 'degraded') order by window_24h, id limit 1`,
      [ctx.organizationId],
    ),
  );
  if (number) return number;
  throw new CommandError(
    'The workspace has no connected sandbox number. Add one: wms number add --provider sandbox …',
  );
}
