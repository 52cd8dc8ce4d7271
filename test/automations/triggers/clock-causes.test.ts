import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { advanceRun } from '../../../src/automations/running/advance.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { queueMessage } from '../../../src/conversations/sending/outgoing.ts';
import { queueTexts } from '../../../src/conversations/sending/outgoing-many.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { type Acting, openActing } from './support/acting.ts';
import { type ClockScene, openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let scene: ClockScene;
let acting: Acting;
let numberId: string;
let now: Date;
beforeAll(async () => {
  scene = await openClockScene();
  now = new Date(BEGIN);
  acting = openActing(scene.database, scene.at(BEGIN).organizationId, () => now);
  ({ id: numberId } = await aNumber(ctx()));
});
// So much later that what the test before said is silent for too long to start anything.
beforeEach(() => {
  now = new Date(now.getTime() + 100 * DAY);
});
afterEach(async () => {
  await scene.rows('delete from automation_drops');
  await scene.rows("update automations set status = 'inactive'");
});
afterAll(async () => {
  await acting.close();
  await scene.close();
});

const ctx = () => scene.at(now.toISOString());
const END = { id: 'end', type: 'end' };
const saying = (text: string) => [{ id: 'say', type: 'send_message', text, next: 'end' }, END];

let count = 0;
const active = async (trigger: object, steps: readonly object[]): Promise<string> => {
  const wishes = { name: `Automação ${++count}`, trigger, steps };
  return (await anActiveAutomation(ctx(), wishes)).id;
};
const runsOf = (automationId: string) =>
  scene.rows<{ id: string; depth: number; caused: boolean }>(
    'select id, depth, cause_run_id is not null as caused from automation_runs where automation_id = $1 order by id',
    [automationId],
  );
/** Without what was missed, since these looks are a day apart. */
const drops = (): Promise<unknown[]> =>
  scene.rows(
    `select automation_id as of, reason, count::int from automation_drops where reason <> 'missed' order by 1`,
  );

interface Talk {
  readonly contactId: string;
  readonly conversationId: string;
}
const aTalk = async (): Promise<Talk> => {
  const { id: contactId } = await aContact(ctx(), { name: `Pessoa ${++count}` });
  return { contactId, conversationId: await aConversation(ctx(), { numberId, contactId }) };
};
/** Everything that was queued leaves at once. */
const leaves = (): Promise<unknown> =>
  scene.rows(
    `with gone as (
       update messages set status = 'sent', sent_at = $1 where status = 'queued' returning conversation_id)
     update conversations set last_message_at = $1 where id in (select conversation_id from gone)`,
    [now],
  );
const says = async ({ conversationId }: Talk, text: string, reminderId?: string): Promise<void> => {
  const message = { id: newId('msg'), conversationId, toPhone: null, text, despiteOptOut: false };
  await transact<unknown>({ ...ctx(), actor: system('tests') }, (tx) =>
    reminderId === undefined
      ? queueMessage(tx, { conversationId, text, source: 'member' })
      : queueTexts(tx, [{ ...message, reminderId }]),
  );
  await leaves();
};
const writes = async ({ contactId, conversationId }: Talk): Promise<void> => {
  await says({ contactId, conversationId }, 'oi');
  await scene.rows(
    `update messages set direction = 'inbound', source = 'contact', status = 'received'
     where conversation_id = $1 and text = 'oi'`,
    [conversationId],
  );
  await scene.rows('update contacts set last_inbound_at = $2 where id = $1', [contactId, now]);
};
/** The clock of each minute, and what it started, at so many moments one after the other. */
const pass = async (times: number, each: number): Promise<void> => {
  for (let n = 0; n < times; n++) {
    now = new Date(now.getTime() + each);
    await scene.tend(now.toISOString());
    await acting.act();
    await leaves();
  }
};
const heard = async ({ conversationId }: Talk): Promise<string[]> => {
  const rows = await scene.rows<{ text: string }>(
    "select text from messages where conversation_id = $1 and direction = 'outbound' order by id",
    [conversationId],
  );
  return rows.map(({ text }) => text);
};

describe('silence after what an automation said', () => {
  it('starts no automation that led to it, until the person has written', async () => {
    const first = await active({ type: 'no_reply', after: 'P1D' }, saying('A'));
    const second = await active({ type: 'no_reply', after: 'P3D' }, saying('B'));
    const talk = await aTalk();
    await says(talk, 'Bom dia!');
    await pass(12, DAY);
    expect(await heard(talk)).toEqual(['Bom dia!', 'A', 'B']);
    expect(await drops()).toEqual([{ of: first, reason: 'own_chain', count: 1 }]);
    expect(await runsOf(first)).toMatchObject([{ depth: 0, caused: false }]);
    expect(await runsOf(second)).toMatchObject([{ depth: 1, caused: true }]);

    await writes(talk);
    await says(talk, 'Claro!');
    await pass(12, DAY);
    expect(await heard(talk)).toEqual(['Bom dia!', 'A', 'B', 'Claro!', 'A', 'B']);
  });

  it('starts none that had another one say it', async () => {
    const said = await active({ type: 'manual' }, saying('B'));
    const start = { id: 'start', type: 'start_automation', automation_id: said, next: 'end' };
    const first = await active({ type: 'no_reply', after: 'P1D' }, [start, END]);
    const talk = await aTalk();
    await says(talk, 'Bom dia!');
    await pass(4, DAY);
    expect(await heard(talk)).toEqual(['Bom dia!', 'B']);
    expect(await drops()).toEqual([{ of: first, reason: 'own_chain', count: 1 }]);
  });

  it('starts none whose reminder said it', async () => {
    const remind = { id: 'remind', type: 'create_reminder', title: 'R', text: 'R', after: 'PT1H' };
    const first = await active({ type: 'no_reply', after: 'P1D' }, [
      { ...remind, next: 'end' },
      END,
    ]);
    const talk = await aTalk();
    await says(talk, 'Bom dia!');
    await pass(1, DAY);
    const [reminder, ...others] = await scene.rows<{ id: string }>('select id from reminders');
    expect(others).toEqual([]);
    await says(talk, 'R', reminder?.id);
    await pass(3, DAY);
    expect(await scene.rows('select id from reminders')).toEqual([reminder]);
    expect(await drops()).toEqual([{ of: first, reason: 'own_chain', count: 1 }]);
  });

  it('starts one again that led to a run during which the person has written', async () => {
    await active({ type: 'no_reply', after: 'P1D' }, saying('A'));
    const wait = { id: 'wait', type: 'wait', duration: 'P2D', next: 'say' };
    const second = await active({ type: 'no_reply', after: 'P2D' }, [wait, ...saying('B')]);
    const talk = await aTalk();
    await says(talk, 'Bom dia!');
    await pass(3, DAY);
    await pass(1, MINUTE);
    await writes(talk);
    now = new Date(now.getTime() + 2 * DAY);
    for (const { id: runId } of await runsOf(second))
      await advanceRun(acting.deps, { organizationId: ctx().organizationId, runId }, 'workflow');
    await leaves();
    expect(await heard(talk)).toEqual(['Bom dia!', 'A', 'B']);
    await pass(1, DAY);
    expect(await heard(talk)).toEqual(['Bom dia!', 'A', 'B', 'A']);
  });
});

describe('a segment', () => {
  const twoAutomations = async (tag: string) => {
    const rules = { field: 'tag', op: 'has_any', value: [tag] } as const;
    const { id: segment_id } = await aSegment(ctx(), { name: tag, rules });
    const give = { id: 'give', type: 'add_tag', tag, next: 'end' };
    const take = { id: 'take', type: 'remove_tag', tag, next: 'end' };
    await active({ type: 'segment_left', segment_id }, [give, END]);
    return active({ type: 'segment_entered', segment_id }, [take, END]);
  };

  it('that two automations put the person into and out of is left alone after one round', async () => {
    const enters = await twoAutomations('cliente');
    const { id } = await aContact(ctx(), { name: `Pessoa ${++count}` });
    await pass(1, MINUTE);
    await updateContact(ctx(), id, { tags: ['cliente'] });
    await pass(8, MINUTE);
    expect(
      await scene.rows('select depth from automation_runs where contact_id = $1 order by id', [id]),
    ).toEqual([{ depth: 0 }, { depth: 1 }]);
    expect(await drops()).toEqual([{ of: enters, reason: 'own_chain', count: 1 }]);

    // What people do later is nobody's doing.
    await updateContact(ctx(), id, { tags: [] });
    await pass(2, MINUTE);
    expect(
      await scene.rows('select depth from automation_runs where contact_id = $1 order by id', [id]),
    ).toEqual([{ depth: 0 }, { depth: 1 }, { depth: 0 }, { depth: 1 }]);
  });

  it('that they put the person into is left alone though a deeper run of others is behind it too', async () => {
    const enters = await twoAutomations('sócio');
    const starting = (automation_id: string) => [
      { id: 'start', type: 'start_automation', automation_id, next: 'end' },
      END,
    ];
    const third = await active({ type: 'manual' }, [END]);
    const second = await active({ type: 'manual' }, starting(third));
    await active({ type: 'tag_added', tags: ['convidado'] }, starting(second));
    const { id } = await aContact(ctx(), { name: `Pessoa ${++count}` });
    await pass(1, MINUTE);
    await updateContact(ctx(), id, { tags: ['sócio'] });
    await pass(2, MINUTE);
    await updateContact(ctx(), id, { tags: ['sócio', 'convidado'] });
    await acting.act();
    expect(await runsOf(third)).toMatchObject([{ depth: 2 }]);
    await pass(3, MINUTE);
    expect(await runsOf(enters)).toMatchObject([{ depth: 0 }]);
    expect(await drops()).toEqual([{ of: enters, reason: 'own_chain', count: 1 }]);
  });
});
