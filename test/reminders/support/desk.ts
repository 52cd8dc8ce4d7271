import { newId } from '../../../src/ids.ts';
import { reminderRoutes } from '../../../src/reminders/routes.ts';
import { type BehindDoor, workspaceBehind } from '../../support/api.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import { auditActions, rowsOf } from '../../support/rows-of.ts';

/** Friday in São Paulo, 11 in the morning. */
export const NOW = new Date('2026-11-20T14:00:00.000Z');

export const openReminderDoor = (): Promise<OpenDoor> =>
  openDoor({ routes: reminderRoutes, clock: { now: () => NOW, skewMs: 0 } });

/** A workspace with a number and a contact, behind the door, on the day of `NOW`. */
export interface Desk extends BehindDoor {
  readonly numberId: string;
  readonly contactId: string;
  /** A body: daily at 09:00 to the contact, with these changes. */
  body(changes?: object): object;
  /** The id of a reminder that was created. */
  created(changes?: object): Promise<string>;
  rows<R>(text: string, params?: readonly unknown[]): Promise<R[]>;
  /** Actions of the audit log about this record, in order. */
  entries(id: string): Promise<string[]>;
  /** A group of the number, or of another one. */
  group(wishes?: { numberId?: string; left?: boolean }): Promise<string>;
}

export async function aDesk(
  door: OpenDoor,
  plan: 'essencial' | 'escala' = 'escala',
): Promise<Desk> {
  const behind = await workspaceBehind(door, { now: NOW, plan });
  const { ctx } = behind;
  const { id: numberId } = await aNumber(ctx);
  const { id: contactId } = await aContact(ctx);
  const desk: Desk = {
    ...behind,
    numberId,
    contactId,
    body: (changes = {}) => ({
      title: 'Retorno',
      text: 'Oi! Como foi?',
      target: 'contact',
      contact_id: contactId,
      number_id: numberId,
      repeat: 'daily',
      time: '09:00',
      ...changes,
    }),
    created: async (changes) => {
      const reply = await desk.call('POST', '/reminders', desk.body(changes));
      if (reply.status !== 201) throw new TypeError(reply.text);
      return reply.body.id;
    },
    rows: <R>(text: string, params: readonly unknown[] = []) => rowsOf<R>(ctx, text, params),
    entries: (id) => auditActions(ctx, id),
    group: async ({ numberId: other = numberId, left = false } = {}) => {
      const id = newId('grp');
      const conversationId = newId('cnv');
      await desk.rows(
        `insert into conversations (organization_id, id, number_id, group_id, opened_at, created_at)
         values ($1, $2, $3, $4, $5, $5)`,
        [ctx.organizationId, conversationId, other, id, NOW],
      );
      await desk.rows(
        `insert into groups (organization_id, id, name, number_id, conversation_id, provider_id, left_at, created_at)
         values ($1, $2, 'Turma', $3, $4, $2, $5, $6)`,
        [ctx.organizationId, id, other, conversationId, left ? NOW : null, NOW],
      );
      return id;
    },
  };
  return desk;
}
