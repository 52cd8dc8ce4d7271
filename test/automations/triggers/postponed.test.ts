import { expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);

it('a message that could not be acted on for a moment starts what it would have, before those behind it', async () => {
  for (const keyword of ['preço', 'oi'])
    await scene.automation(keyword, {
      type: 'message_received',
      match: 'equals',
      keywords: [keyword],
    });
  const from = scene.aPhone();
  const started = async () => (await scene.runs()).map(({ automation }) => automation);
  const postpone = (tries: number, until: string) =>
    scene.rows(
      `update automation_triggers set tries = $1, not_before = now() + $2::interval
       where id = (select min(id) from automation_triggers)`,
      [tries, until],
    );

  await scene.writes(from, 'preço');
  await postpone(1, '1 hour');
  await scene.writes(from, 'oi');
  await scene.act();
  expect([await started(), await scene.waiting()]).toEqual([[], 2]);

  await scene.rows('update automation_triggers set not_before = now()');
  await scene.act();
  expect(await started()).toEqual(['preço', 'oi']);

  // One that fails again and again holds up nobody.
  await scene.writes(from, 'preço');
  await postpone(4, '1 hour');
  await scene.writes(from, 'oi');
  await scene.act();
  expect(await started()).toEqual(['preço', 'oi', 'oi']);
});
