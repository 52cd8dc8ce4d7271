import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { advanceTogether } from '../../src/reminders/together/advance.ts';
import { laneScene } from '../conversations/support/lane.ts';
import { eventually } from '../support/waiting.ts';

const { scene, aRelay, aTalk, rows } = laneScene();

const HOUR = 3_600_000;

/** As of so many hours from now; the relay's own lane of reminders looks by the true clock, and so finds none due. */
const inHours = (hours: number): Context =>
  createContext(
    { database: scene.database, wake: () => {} },
    {
      organizationId: scene.ctx.organizationId,
      actor: scene.ctx.actor,
      now: new Date(Date.now() + hours * HOUR),
    },
  );

async function tomorrow(contact_id: string, number_id: string): Promise<string> {
  const body = { title: 'Consulta', text: 'É amanhã', target: 'contact', repeat: 'daily' };
  const time = new Date(Date.now() + 12 * HOUR).toISOString().slice(11, 16);
  const wishes = { ...body, contact_id, number_id, time, time_zone: 'UTC' };
  return (await createReminder(inHours(0), newReminderBody.parse(wishes))).id;
}

type Move = (ctx: Context, id: string) => Promise<unknown>;

const moves: readonly (readonly [string, Move])[] = [
  ['together', (ctx, id) => advanceTogether(ctx, [id])],
  ['alone', takeStep],
];

describe('somebody who is not to be written to any more when the message of a reminder would leave', () => {
  for (const [how, move] of moves)
    it.each([
      ['opted_out', 'update contacts set opted_out = true where id = $1'],
      ['blocked', 'update contacts set blocked = true where id = $1'],
      ['no_phone', 'update contacts set phone = null, phone_key = null where id = $1'],
      ['out_of_window', 'update conversations set window_expires_at = now() where contact_id = $1'],
    ])(`is passed over as %s, as before it was queued (${how})`, async (reason, happens) => {
      const { contactId, numberId } = await aTalk({ number: { window: true } });
      await rows(`update conversations set window_expires_at = $2 where contact_id = $1`, [
        contactId,
        new Date(Date.now() + 20 * HOUR),
      ]);
      const id = await tomorrow(contactId, numberId);
      await transact(inHours(12), (tx) => move(tx, id));
      if (how === 'alone') await transact(inHours(12), (tx) => move(tx, id));
      await rows(happens, [contactId]);
      await aRelay();
      const settled = () =>
        rows(`select from messages where reminder_id = $1 and status = 'failed'`, [id]);
      await eventually(async () => (await settled()).length === 1);

      await transact(inHours(12.5), (tx) => move(tx, id));

      const runs = await rows(
        'select status, skipped, failed, reasons from reminder_runs where reminder_id = $1',
        [id],
      );
      expect(runs).toEqual([
        { status: 'skipped', skipped: 1, failed: 0, reasons: { [reason]: 1 } },
      ]);
    });
});
