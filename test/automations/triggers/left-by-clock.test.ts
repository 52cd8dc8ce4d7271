import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getAutomation } from '../../../src/automations/reading.ts';
import { actOn } from '../../../src/automations/running/listening/acting.ts';
import { automationPatch } from '../../../src/automations/schema.ts';
import { updateAutomation } from '../../../src/automations/service.ts';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { untilWaiting } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { type Acting, openActing } from './support/acting.ts';
import { type ClockScene, openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';
const DUE = '2026-11-20T14:00:00Z';
const AFTER = '2026-11-20T14:01:00Z';
const PEOPLE = 3;

let scene: ClockScene;
let acting: Acting;
let segment_id: string;
beforeAll(async () => {
  scene = await openClockScene();
  acting = openActing(scene.database, scene.at(BEGIN).organizationId);
  segment_id = (await aSegment(scene.at(BEGIN))).id;
  for (let n = 0; n < PEOPLE; n++) await aContact(scene.at(BEGIN), { tags: ['vip'] });
});
afterEach(() => scene.rows("update automations set status = 'inactive'"));
afterAll(async () => {
  await acting.close();
  await scene.close();
});

/** A daily schedule whose people wait for the lane. */
async function left(): Promise<string> {
  const trigger = { type: 'schedule', segment_id, repeat: 'daily', time: '11:00' };
  const id = await scene.automation(trigger);
  await scene.tend(DUE);
  expect(await acting.waiting()).toBe(PEOPLE);
  return id;
}

async function publish(id: string, edit: object): Promise<void> {
  const ctx = scene.at(AFTER);
  await updateAutomation(ctx, id, automationPatch.parse(edit), { trustedOrigins: [] });
  await activateAutomation(ctx, id);
}

async function offAndOn(ctx: Context, id: string): Promise<void> {
  await deactivateAutomation(ctx, id, 'cancel');
  await activateAutomation(ctx, id);
}

/** The version of each run, and what was turned away. */
async function outcome(id: string): Promise<[number[], Readonly<Record<string, number>>]> {
  const runs = await scene.rows<{ version: number }>(
    'select version from automation_runs where automation_id = $1',
    [id],
  );
  const { runs_dropped } = await transact(scene.at(AFTER), (tx) => getAutomation(tx, id));
  return [runs.map(({ version }) => version), runs_dropped];
}

describe('what the clock of an automation left for the lane', () => {
  it('starts nobody once another trigger is published, and is counted', async () => {
    const id = await left();
    await publish(id, { trigger: { type: 'tag_added', tags: ['vip'] } });

    await acting.act();

    expect(await outcome(id)).toEqual([[], { inactive: PEOPLE }]);
  });

  it('starts nobody once the automation was off and is on again, and is counted', async () => {
    const id = await left();
    await offAndOn(scene.at(AFTER), id);

    await acting.act();

    expect(await outcome(id)).toEqual([[], { inactive: PEOPLE }]);
  });

  it('is counted where the automation is off', async () => {
    const id = await left();
    await deactivateAutomation(scene.at(AFTER), id, 'finish');

    await acting.act();

    expect(await outcome(id)).toEqual([[], { inactive: PEOPLE }]);
  });

  it('starts the next version where only its steps are published', async () => {
    const id = await left();
    const tag = { id: 'tag', type: 'add_tag', tag: 'x', next: 'end' };
    await publish(id, { steps: [tag, { id: 'end', type: 'end' }] });

    await acting.act();

    expect(await outcome(id)).toEqual([Array.from({ length: PEOPLE }, () => 2), {}]);
  });

  it('starts nobody whom the lane was about to start when the automation went off and on', async () => {
    const id = await left();
    const ctx = scene.at(AFTER);
    const all = await scene.rows<{ id: string }>('select id from automation_triggers');
    const place = { organizationId: ctx.organizationId };
    const starting: Promise<void>[] = [];
    const asked = { query: async (text: string) => ({ rows: await scene.rows(text) }) };

    await transact(ctx, async (tx) => {
      await offAndOn(tx, id);
      starting.push(...all.map((one) => actOn(acting.deps, { ...place, id: one.id })));
      await untilWaiting(asked);
    });
    await Promise.all(starting);

    expect(await outcome(id)).toEqual([[], { inactive: PEOPLE }]);
  });
});
