import { beforeEach, describe, expect, it } from '@jest/globals';
import { recordTakeover } from '../../src/automated/takeovers.ts';
import { cancelRun } from '../../src/automations/runs.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { cancelReminder } from '../../src/reminders/cancelling.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { advanceTogether } from '../../src/reminders/together/advance.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';
import { uploadScene } from './support/uploads.ts';

const { scene, faults, aRelay, aTalk, say, rows, kept, becomes, ledgerOf } = laneScene();
const { sendsAre } = uploadScene(scene);

let people = 0;

beforeEach(() => faults({ latency_ms: 500 }));

/** Somebody of whom WhatsApp says each time that they are being messaged too often. */
const reluctant = () => {
  people += 1;
  return aTalk({ phone: `+55119${people}0131056` });
};

interface Said {
  readonly conversationId: string;
  readonly id: string;
  /** What makes the message unwanted. */
  end(): Promise<unknown>;
}

async function aRunSays(talk = reluctant()) {
  const { conversationId, contactId, numberId } = await talk;
  const { id: automationId } = await anActiveAutomation(scene.ctx, { name: `Olá ${contactId}` });
  const runId = await aRun(scene.ctx, { automationId, contactId, conversationId });
  const id = await say(conversationId, { source: 'automation', automationId, runId });
  return { conversationId, numberId, runId, id };
}

async function takenOver(): Promise<Said> {
  const said = await aRunSays();
  const { conversationId } = said;
  return { ...said, end: () => transact(scene.ctx, (tx) => recordTakeover(tx, conversationId)) };
}

async function cancelled(): Promise<Said> {
  const said = await aRunSays();
  return { ...said, end: () => cancelRun(scene.ctx, said.runId) };
}

/** Its time has come: its run has queued the message. */
async function remindedInVain(): Promise<Said> {
  const { conversationId, contactId: contact_id, numberId: number_id } = await reluctant();
  const body = { title: 'Consulta', text: 'É amanhã', target: 'contact', repeat: 'daily' };
  const { id: reminderId } = await createReminder(
    scene.ctx,
    newReminderBody.parse({ ...body, contact_id, number_id, time: '09:00' }),
  );
  const { organizationId, actor } = scene.ctx;
  const [reminder] = await rows<{ at: Date }>(
    'select next_run_at as at from reminders where id = $1',
    [reminderId],
  );
  const now = reminder?.at ?? new Date();
  const then = createContext(
    { database: scene.database, wake: () => {} },
    { organizationId, actor, now },
  );
  await transact(then, (tx) => advanceTogether(tx, [reminderId]));
  const [message] = await rows<{ id: string }>('select id from messages where reminder_id = $1', [
    reminderId,
  ]);
  const end = () => cancelReminder(scene.ctx, reminderId);
  return { conversationId, id: message?.id ?? '', end };
}

const unwanted: readonly (readonly [string, () => Promise<Said>])[] = [
  ['a person has taken over from its automation', takenOver],
  ['the run that said it was cancelled', cancelled],
  ['its reminder was cancelled', remindedInVain],
];

describe('a message that WhatsApp turned away for now', () => {
  it.each(unwanted)('is not tried again when meanwhile %s', async (_, said) => {
    const { id, end } = await said();
    // It is still on its way when its reason is gone, however long that takes.
    const { promise: ended, resolve: goOn } = Promise.withResolvers<undefined>();
    await aRelay(await sendsAre(() => ended));
    await becomes(id, 'sending');
    await end();
    expect((await kept(id))?.status).toBe('sending');
    goOn(undefined);

    await becomes(id, 'cancelled');

    expect(ledgerOf(id)).toHaveLength(1);
  });

  it('is cancelled although WhatsApp suspended its number over it', async () => {
    const { id, numberId, runId } = await aRunSays(aTalk({ phone: '+5511980131031' }));
    const { promise: ended, resolve: goOn } = Promise.withResolvers<undefined>();
    await aRelay(await sendsAre(() => ended));
    await becomes(id, 'sending');
    await cancelRun(scene.ctx, runId);
    goOn(undefined);

    await becomes(id, 'cancelled');

    // What an answer means for the number is acted on behind what it means for the message.
    const isSuspended = `select from numbers where id = $1 and status = 'suspended'`;
    await eventually(async () => (await rows(isSuspended, [numberId])).length > 0);
    expect(ledgerOf(id)).toHaveLength(1);
  });

  it.each(unwanted)('holds up no answer of a person when %s', async (_, said) => {
    const { conversationId, id, end } = await said();
    await aRelay();
    const waits = `not_before = now() + interval '1 hour' where message_id = $1 and attempts > 0 returning 1`;
    await eventually(
      async () => (await rows(`update outgoing_messages set ${waits}`, [id])).length > 0,
    );
    await end();

    const answer = await say(conversationId, { source: 'member' });

    await eventually(async () => ledgerOf(answer).length > 0);
    expect((await kept(id))?.status).toBe('cancelled');
  });

  it('is tried again by a run that was handed over by its own last step', async () => {
    const talk = await aRunSays();
    await rows(
      `update automation_runs set status = 'handed_over', finished_at = now(), wait_until = null where id = $1`,
      [talk.runId],
    );
    await aRelay();

    await eventually(async () => ledgerOf(talk.id).length > 1);
  });
});

describe('a message withdrawn while somebody else was at its conversation', () => {
  const cancelsBeside = ({ conversationId, runId }: { conversationId: string; runId: string }) =>
    transact(scene.ctx, async ({ sql }) => {
      await sql.rows('select from conversations where id = $1 for update', [conversationId]);
      await cancelRun(scene.ctx, runId);
    });

  it('is cancelled although its number is down', async () => {
    const said = await aRunSays(aTalk());
    await rows("update numbers set status = 'suspended' where id = $1", [said.numberId]);
    await cancelsBeside(said);
    expect((await kept(said.id))?.status).toBe('queued');

    await aRelay();

    await becomes(said.id, 'cancelled');
  });

  it('holds up no answer of a person, although it was to be tried an hour later', async () => {
    const said = await aRunSays(aTalk());
    const later = "update outgoing_messages set not_before = now() + interval '1 hour'";
    await rows(`${later} where message_id = $1`, [said.id]);
    await cancelsBeside(said);
    const answer = await say(said.conversationId, { source: 'member' });

    await aRelay();

    await eventually(async () => ledgerOf(answer).length > 0);
    expect((await kept(said.id))?.status).toBe('cancelled');
    expect(ledgerOf(said.id)).toEqual([]);
  });
});
