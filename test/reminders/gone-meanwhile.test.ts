import { beforeEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { LATE, lookedAt } from './support/looked-at.ts';

const { scene, look, people, toSegment, queued } = lookedAt();

/** The last of more people than are queued at once. */
let last: string;
beforeEach(async () => {
  await scene.desk.rows(
    `insert into contacts (organization_id, id, tags, phone, phone_key, origin, created_via, created_at, updated_at)
     select $1, 'con_' || lpad(n::text, 26, '0'), '{vip}', '+3510000' || n, '+3510000' || n, 'import', 'import', $2, $2
     from generate_series(1001, 1200) n`,
    [scene.desk.ctx.organizationId, scene.desk.ctx.now],
  );
  [last = ''] = await people(1);
});

/** The run has written down whom it is for, and commits that once `change` is over, or waits for it. */
async function begunDuring(id: string, change: (ctx: Context) => Promise<unknown>): Promise<void> {
  const { organizationId, actor } = scene.desk.ctx;
  const { database } = scene.door;
  const at = { organizationId, actor, now: LATE };
  const { changing } = await transact(
    createContext({ database, wake: () => {} }, at),
    async (tx) => {
      await takeStep(tx, id);
      const changing = change(scene.desk.ctx);
      await Promise.race([changing, untilWaiting(database.app)]);
      return { changing };
    },
  );
  await changing;
}

describe('somebody who is gone while it is written down whom a reminder is for', () => {
  it('gets the message as the one who stays when merged', async () => {
    const id = await toSegment();
    const { id: survivor } = await aContact(scene.desk.ctx);

    await begunDuring(id, (ctx) => mergeContacts(ctx, survivor, last));
    await look(id);
    await scene.desk.rows("update messages set status = 'sent'");
    await look(id, { ms: 10_000 });

    expect((await queued(id)).at(-1)).toEqual({ contact: survivor, status: 'queued' });
  });

  it('is in no list when deleted', async () => {
    const id = await toSegment();

    await begunDuring(id, () => scene.desk.call('DELETE', `/contacts/${last}`));

    const left = 'select from reminder_recipients where contact_id = $1';
    expect(await scene.desk.rows(left, [last])).toEqual([]);
  });
});
