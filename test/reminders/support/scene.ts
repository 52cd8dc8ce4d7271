import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { newId } from '../../../src/ids.ts';
import { type NewReminder, newReminderBody } from '../../../src/reminders/schema.ts';
import { createReminder } from '../../../src/reminders/service.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { openReminderStage, type ReminderStage } from './stage.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A run as its row tells it. */
export interface Run {
  readonly at: Date;
  readonly status: string;
  readonly recipients: number;
  readonly sent: number;
  readonly failed: number;
  readonly reasons: Readonly<Record<string, number>>;
}

export interface Sent {
  readonly to: string;
  readonly text: string;
  readonly status: string;
}

/** One stage for a file; a workspace with a number for each test. */
export function reminderScene() {
  const scene = {} as { stage: ReminderStage; ctx: Context; numberId: string };
  beforeAll(async () => {
    scene.stage = await openReminderStage();
  });
  afterAll(() => scene.stage.close());
  beforeEach(async () => {
    scene.stage.sending = true;
    scene.ctx = await scene.stage.aWorkspace();
    scene.numberId = (await aNumber(scene.ctx)).id;
  });

  const rows = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> =>
    scene.stage.rows<R>(scene.ctx, text, params);

  return {
    scene,
    rows,
    /** A reminder of these wishes, and its workflow. */
    async remind(wishes: Partial<NewReminder>): Promise<string> {
      const body = newReminderBody.parse({
        title: 'Retorno',
        text: 'Oi!',
        number_id: scene.numberId,
        time_zone: 'UTC',
        ...wishes,
      });
      const { id } = await createReminder(await scene.stage.at(scene.ctx), body);
      await scene.stage.settle();
      return id;
    },
    runsOf: (id: string): Promise<Run[]> =>
      rows<Run>(
        `select scheduled_for as at, status, recipients, sent, failed, reasons from reminder_runs
         where reminder_id = $1 order by 1`,
        [id],
      ),
    standing: async (id: string) => {
      const [row] = await rows<{ status: string; next: Date | null; reason: string | null }>(
        'select status, next_run_at as next, cancel_reason as reason from reminders where id = $1',
        [id],
      );
      return row;
    },
    /** Its messages in the order in which they were queued. */
    messagesOf: (id: string): Promise<Sent[]> =>
      rows<Sent>(
        `select coalesce(c.phone, '') as "to", m.text, m.status from messages m
         left join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
         where m.reminder_id = $1 order by m.id`,
        [id],
      ),
    /** The full minute so many milliseconds from now, as a reminder's date and time in UTC. */
    async inTime(ms: number): Promise<{ date: string; time: string; at: Date }> {
      const now = await scene.stage.now();
      const at = new Date(Math.ceil((now.getTime() + ms) / MINUTE) * MINUTE);
      const iso = at.toISOString();
      return { date: iso.slice(0, 10), time: iso.slice(11, 16), at };
    },
    async aGroup(): Promise<string> {
      const id = newId('grp');
      const conversationId = newId('cnv');
      const { organizationId } = scene.ctx;
      await rows(
        `insert into conversations (organization_id, id, number_id, group_id, opened_at, created_at)
         values ($1, $2, $3, $4, now(), now())`,
        [organizationId, conversationId, scene.numberId, id],
      );
      await rows(
        `insert into groups (organization_id, id, name, number_id, conversation_id, provider_id, created_at)
         values ($1, $2, 'Turma', $3, $4, $2, now())`,
        [organizationId, id, scene.numberId, conversationId],
      );
      return id;
    },
    numberIs: (status: string): Promise<unknown> =>
      rows('update numbers set status = $1 where id = $2', [status, scene.numberId]),
  };
}
