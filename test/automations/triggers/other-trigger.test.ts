import { afterEach, describe, expect, it } from '@jest/globals';
import { automationPatch } from '../../../src/automations/schema.ts';
import { updateAutomation } from '../../../src/automations/service.ts';
import { activateAutomation } from '../../../src/automations/transitions.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';

const scene = opened(openClockScene);
afterEach(() => scene.rows("update automations set status = 'inactive'"));

const person = async (name: string, tag: string): Promise<void> => {
  await aContact(scene.at(BEGIN), { name, tags: [tag] });
};

const segmentOf = async (tag: string): Promise<string> => {
  const rules = { field: 'tag', op: 'has_any', value: [tag] } as const;
  return (await aSegment(scene.at(BEGIN), { name: `Com ${tag}`, rules })).id;
};

async function publish(id: string, trigger: object, moment: string): Promise<void> {
  const ctx = scene.at(moment);
  await updateAutomation(ctx, id, automationPatch.parse({ trigger }), { trustedOrigins: [] });
  await activateAutomation(ctx, id);
}

describe('an automation that is published with another trigger', () => {
  it('starts nobody by its former schedule', async () => {
    const schedule = { type: 'schedule', repeat: 'daily', time: '11:00' };
    await person('Ana', 'agenda');
    const id = await scene.automation({ ...schedule, segment_id: await segmentOf('agenda') });
    await scene.automation({ ...schedule, segment_id: await segmentOf('ninguém') });
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual(['Ana']);

    await publish(id, { type: 'message_received' }, '2026-11-20T15:00:00Z');

    expect(await scene.look('2026-11-21T14:00:00Z')).toEqual([]);
  });

  it('starts people at its new time on the day on which it had its former one', async () => {
    const segment_id = await segmentOf('hora');
    await person('Gil', 'hora');
    const trigger = { type: 'schedule', segment_id, repeat: 'daily', time: '11:00' };
    const id = await scene.automation(trigger);
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual(['Gil']);

    await publish(id, { ...trigger, time: '13:00' }, '2026-11-20T14:10:00Z');

    expect(await scene.look('2026-11-20T16:00:00Z')).toEqual(['Gil']);
  });

  it('remembers its segment afresh when it comes back to it', async () => {
    const segment_id = await segmentOf('clube');
    const trigger = { type: 'segment_entered', segment_id };
    const id = await scene.automation(trigger);
    await scene.look('2026-11-20T13:01:00Z');
    await publish(id, { type: 'manual' }, '2026-11-20T13:10:00Z');
    await person('Bia', 'clube');

    await publish(id, trigger, '2026-12-20T13:10:00Z');

    expect(await scene.look('2026-12-20T13:11:00Z')).toEqual([]);
    await person('Cora', 'clube');
    expect(await scene.look('2026-12-20T13:12:00Z')).toEqual(['Cora']);
  });

  it('starts nobody twice on one day when it comes back to its schedule', async () => {
    const segment_id = await segmentOf('dia');
    await person('Duda', 'dia');
    const trigger = { type: 'schedule', segment_id, repeat: 'daily', time: '11:00' };
    const id = await scene.automation(trigger);
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual(['Duda']);
    await publish(id, { type: 'manual' }, '2026-11-20T14:10:00Z');
    await publish(id, trigger, '2026-11-20T14:20:00Z');

    await scene.rows("update workspaces set time_zone = 'America/New_York'");

    expect(await scene.look('2026-11-20T16:00:00Z')).toEqual([]);
    expect(await scene.look('2026-11-21T16:00:00Z')).toEqual(['Duda']);
    await scene.rows("update workspaces set time_zone = 'America/Sao_Paulo'");
  });
});

it('an automation goes on where it was when only its steps are published', async () => {
  const segment_id = await segmentOf('passos');
  const id = await scene.automation({ type: 'segment_entered', segment_id });
  await scene.look('2026-11-20T13:01:00Z');
  await person('Eva', 'passos');

  const steps = [
    { id: 'tag', type: 'add_tag', tag: 'x', next: 'end' },
    { id: 'end', type: 'end' },
  ];
  const ctx = scene.at('2026-11-20T13:01:30Z');
  await updateAutomation(ctx, id, automationPatch.parse({ steps }), { trustedOrigins: [] });
  await activateAutomation(ctx, id);

  expect(await scene.look('2026-11-20T13:02:00Z')).toEqual(['Eva']);
});
