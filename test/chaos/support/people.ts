import { draftOf } from '../../../src/contacts/drafts.ts';
import { newContactBody } from '../../../src/contacts/schema.ts';
import { addContacts } from '../../../src/contacts/writing.ts';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';

const AT_ONCE = 500;

/** New contacts, the phones numbered from `first` on; none of them is one of the simulator's magic ones. */
export async function somePeople(ctx: Context, first: number, count: number): Promise<string[]> {
  const bodies = Array.from({ length: count }, (_, i) =>
    newContactBody.parse({
      name: `Cliente ${first + i}`,
      phone: `+5511982${String(first + i).padStart(6, '0')}`,
    }),
  );
  const ids: string[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const added = await transact(ctx, (tx) =>
      addContacts(
        tx,
        bodies.slice(at, at + AT_ONCE).map((body) => draftOf(body, '')),
        { origin: 'import', createdVia: 'import' },
      ),
    );
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}
