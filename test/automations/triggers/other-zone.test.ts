import { afterEach, describe, expect, it } from '@jest/globals';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { openClockScene } from './support/clock.ts';

const scene = opened(openClockScene);
afterEach(async () => {
  await scene.rows("update automations set status = 'inactive'");
  await livesIn('America/Sao_Paulo');
});

const livesIn = (zone: string) => scene.rows('update workspaces set time_zone = $1', [zone]);

describe('a workspace that moves to another time zone', () => {
  it.each([
    ['in the west, where the time comes again', 'America/New_York', 'daily', '21T16'],
    ['in the west, for a schedule of once', 'America/New_York', 'once', undefined],
    ['in the east, where tomorrow begins earlier', 'Europe/Lisbon', 'daily', '21T11'],
  ])('%s, starts nobody twice on one day', async (_, zone, repeat, next) => {
    const ctx = scene.at('2026-11-20T13:00:00Z');
    const tag = `${zone} ${repeat}`;
    const rules = { field: 'tag', op: 'has_any', value: [tag] } as const;
    const { id: segment_id } = await aSegment(ctx, { name: tag, rules });
    const { name } = await aContact(ctx, { name: tag, tags: [tag] });
    const date = repeat === 'once' ? '2026-11-20' : null;
    await scene.automation({ type: 'schedule', segment_id, repeat, time: '11:00', date });
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual([name]);

    await livesIn(zone);
    const found = [];
    for (const hour of ['20T16', '21T10', '21T11', '21T14', '21T16'])
      if ((await scene.look(`2026-11-${hour}:00:00Z`)).length > 0) found.push(hour);

    expect(found).toEqual(next === undefined ? [] : [next]);
  });

  it('starts nobody twice when it is turned off and on in between', async () => {
    const ctx = scene.at('2026-11-20T13:00:00Z');
    const rules = { field: 'tag', op: 'has_any', value: ['pausa'] } as const;
    const { id: segment_id } = await aSegment(ctx, { name: 'pausa', rules });
    const { name } = await aContact(ctx, { name: 'pausa', tags: ['pausa'] });
    const id = await scene.automation({
      type: 'schedule',
      segment_id,
      repeat: 'daily',
      time: '11:00',
    });
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual([name]);

    await livesIn('America/New_York');
    await deactivateAutomation(scene.at('2026-11-20T14:10:00Z'), id, 'finish');
    await activateAutomation(scene.at('2026-11-20T14:20:00Z'), id);

    expect(await scene.look('2026-11-20T16:00:00Z')).toEqual([]);
    expect(await scene.look('2026-11-21T16:00:00Z')).toEqual([name]);
  });
});
