import { beforeEach, describe, expect, it } from '@jest/globals';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { anEngineScene, type EngineScene } from './support/person.ts';
import { openEngineStage } from './support/stage.ts';

const DAY = 86_400_000;
const HOUR = DAY / 24;
const MINUTE = HOUR / 60;

const stage = opened(openEngineStage);
let scene: EngineScene;

beforeEach(async () => {
  scene = await anEngineScene(stage);
});

const say = (id: string, next = 'end') => ({ id, type: 'send_message', text: id, next });
const wait = (id: string, duration: string, next: string) => ({ id, type: 'wait', duration, next });

describe('a run that waits for months', () => {
  it('goes on at its moment, and everything it does is done once', async () => {
    const person = await scene.person();
    const automationId = await scene.automation([
      say('hello', 'months'),
      wait('months', 'P90D', 'again'),
      say('again'),
    ]);

    const runId = await person.begin(automationId);
    await stage.advance(89 * DAY);

    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'months' });
    expect(await person.heard()).toHaveLength(1);
    const { waitUntil } = await scene.run(runId);
    await stage.advance(2 * DAY);
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded', waitUntil: null });
    const [first, second, ...others] = await person.heard();
    expect([first?.text, second?.text, others]).toEqual(['hello', 'again', []]);
    const late = (second?.at.getTime() ?? 0) - (waitUntil?.getTime() ?? 0);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(MINUTE);
    await stage.handle(runId).result();
    await keepHistory(stage.handle(runId), 'run-automation-began-at-its-time');
  });

  it('goes on when the worker was restarted meanwhile', async () => {
    const person = await scene.person();
    const automationId = await scene.automation([wait('week', 'P7D', 'after'), say('after')]);
    const runId = await person.begin(automationId);
    await stage.advance(DAY);

    await stage.restartWorker();
    await stage.advance(7 * DAY);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect((await person.heard()).map(({ text }) => text)).toEqual(['after']);
  });

  it('ends in failure after 400 days, where it stands, and tells so once', async () => {
    const person = await scene.person();
    const automationId = await scene.automation([
      wait('year', 'P365D', 'month'),
      wait('month', 'P50D', 'after'),
      say('after'),
    ]);
    const runId = await person.begin(automationId);

    await stage.advance(399 * DAY);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'month' });
    await stage.advance(2 * DAY);

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'timeout' });
    expect(await scene.steps(runId)).toEqual(['year succeeded', 'month failed']);
    expect(await scene.told('automation.failed')).toBe(1);
    expect(await person.heard()).toEqual([]);
  });

  it('looks every quarter of an hour whether what it waits for holds', async () => {
    const person = await scene.person();
    const automationId = await scene.automation([
      {
        id: 'vip',
        type: 'wait_until',
        when: { field: 'tag', op: 'has_any', value: ['vip'] },
        timeout: 'P30D',
        next: 'after',
        on_timeout: 'end',
      },
      say('after'),
    ]);
    const runId = await person.begin(automationId);
    await stage.advance(HOUR);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', waitsFor: 'condition' });

    await scene.rows("update contacts set tags = '{vip}' where id = $1", person.contactId);
    await stage.advance(HOUR);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect((await person.heard()).map(({ text }) => text)).toEqual(['after']);
    await stage.handle(runId).result();
    await keepHistory(stage.handle(runId), 'run-automation-watched');
  });

  it('looks at the very minute in which its number begins to be attended', async () => {
    const person = await scene.person();
    const opens = new Date((await stage.now()).getTime() + 5 * HOUR + 7 * MINUTE);
    opens.setUTCSeconds(0, 0);
    const daily = { open: true, from: await localTime(opens), to: await localTime(opens, 90) };
    const week = JSON.stringify(Array.from({ length: 7 }, () => daily));
    await scene.rows('update numbers set hours = $1', week);
    const automationId = await scene.automation([
      {
        id: 'open',
        type: 'wait_until',
        when: { field: 'now.in_hours', op: 'is', value: true },
        timeout: 'P30D',
        next: 'after',
        on_timeout: 'end',
      },
      say('after'),
    ]);

    const runId = await person.begin(automationId);
    await stage.advance(4 * HOUR);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', waitsFor: 'condition' });
    await stage.advance(2 * HOUR);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    const [said] = await person.heard();
    const late = (said?.at.getTime() ?? 0) - opens.getTime();
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(MINUTE);
  });
});

/** `HH:MM` on the workspace's clock, so many minutes later. */
async function localTime(moment: Date, minutes = 0): Promise<string> {
  const [row] = await scene.rows<{ time: string }>(
    `select to_char(($1::timestamptz + $2 * interval '1 minute') at time zone time_zone, 'HH24:MI') as time from workspaces`,
    moment,
    minutes,
  );
  return row?.time ?? '';
}
