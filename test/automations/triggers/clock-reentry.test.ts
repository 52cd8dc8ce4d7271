import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { actOn } from '../../../src/automations/running/listening/acting.ts';
import { transact } from '../../../src/db/transact.ts';
import { recordHappenings } from '../../../src/outbox/happenings.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { type Acting, openActing } from './support/acting.ts';
import { type ClockScene, openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';

let scene: ClockScene;
let acting: Acting;
let segment_id: string;
let contactId: string;
beforeAll(async () => {
  scene = await openClockScene();
  acting = openActing(scene.database, scene.at(BEGIN).organizationId);
  segment_id = (await aSegment(scene.at(BEGIN))).id;
  const ana = await aContact(scene.at(BEGIN), { tags: ['vip'], birth_date: '1990-11-28' });
  contactId = ana.id;
});
afterEach(async () => {
  await scene.rows("update automations set status = 'inactive'");
  await scene.rows("update workspaces set time_zone = 'America/Sao_Paulo'");
});
afterAll(async () => {
  await acting.close();
  await scene.close();
});

let count = 0;
const automation = async (trigger: object, days: number): Promise<string> => {
  const { id } = await anActiveAutomation(scene.at(BEGIN), {
    name: `Automação ${++count}`,
    trigger,
    entry: { reentry: 'after_days', reentry_days: days },
    steps: [{ id: 'end', type: 'end' }],
  });
  return id;
};
const schedule = (fields: object, days: number): Promise<string> =>
  automation({ type: 'schedule', segment_id, ...fields }, days);

/** What waits starts at a moment, when the lane takes it; answers how many runs there are by then. */
async function takenAt(moment: string, automationId: string): Promise<number> {
  const at = scene.at(moment);
  const deps = { ...acting.deps, contextFor: () => at };
  for (const { id } of await scene.rows<{ id: string }>('select id from automation_triggers'))
    await actOn(deps, { organizationId: at.organizationId, id });
  const runs = await scene.rows('select from automation_runs where automation_id = $1', [
    automationId,
  ]);
  return runs.length;
}

/** What is due at a moment starts at another. */
async function round(automationId: string, due: string, taken = due): Promise<number> {
  await scene.tend(due);
  return takenAt(taken, automationId);
}

describe('a schedule that lets people in again after as many days as it takes to come again', () => {
  it('starts for them each time, though a round is taken a few seconds sooner than the one before', async () => {
    const id = await schedule({ repeat: 'weekly', weekday: 1, time: '09:00' }, 7);
    expect(await round(id, '2026-11-23T12:00:03Z', '2026-11-23T12:00:05Z')).toBe(1);
    expect(await round(id, '2026-11-30T12:00:00Z', '2026-11-30T12:00:01Z')).toBe(2);
  });

  it('does so over the night in which the clocks go forward', async () => {
    await scene.rows("update workspaces set time_zone = 'America/New_York'");
    const id = await schedule({ repeat: 'weekly', weekday: 1, time: '09:00' }, 7);
    await scene.tend('2027-03-08T13:59:00Z');
    expect(await round(id, '2027-03-08T14:00:00Z')).toBe(1);
    expect(await round(id, '2027-03-15T13:00:00Z')).toBe(2);
  });

  it('does so where a round was taken after midnight', async () => {
    const id = await schedule({ repeat: 'daily', time: '23:59' }, 1);
    expect(await round(id, '2026-11-24T02:59:02Z', '2026-11-24T03:20:00Z')).toBe(1);
    expect(await round(id, '2026-11-25T02:59:02Z')).toBe(2);
  });

  it('lets nobody in a day too soon', async () => {
    const id = await schedule({ repeat: 'daily', time: '09:00' }, 2);
    expect(await round(id, '2026-11-21T12:00:00Z')).toBe(1);
    expect(await round(id, '2026-11-22T12:59:00Z')).toBe(1);
    expect(await round(id, '2026-11-23T12:00:00Z')).toBe(2);
  });
});

describe('a date that lets people in again after as many days as it takes to come again', () => {
  it('starts for them each year, though it is taken a few seconds sooner than the year before', async () => {
    const trigger = { type: 'date_field', field: 'birth_date', offset_days: 0, time: '09:00' };
    const id = await automation(trigger, 365);
    expect(await round(id, '2026-11-28T12:00:00Z', '2026-11-28T12:00:05Z')).toBe(1);
    expect(await round(id, '2027-11-28T12:00:00Z', '2027-11-28T12:00:01Z')).toBe(2);
  });
});

describe('what a person does', () => {
  it('lets them in again after full days, whatever the date is by then', async () => {
    const id = await automation({ type: 'message_received' }, 1);
    const writes = async (moment: string): Promise<number> => {
      await transact(scene.at(moment), (tx) =>
        recordHappenings(tx, [{ type: 'message_received', contactId, ref: null }]),
      );
      return takenAt(moment, id);
    };

    // 23:55 in São Paulo, then ten minutes later, on the next day.
    expect(await writes('2026-11-21T02:55:00Z')).toBe(1);
    expect(await writes('2026-11-21T03:05:00Z')).toBe(1);
    expect(await writes('2026-11-22T01:55:00Z')).toBe(1);
    expect(await writes('2026-11-22T02:55:00Z')).toBe(2);
  });
});
