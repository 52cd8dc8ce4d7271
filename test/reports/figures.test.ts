import { describe, expect, it } from '@jest/globals';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { changeSettings } from '../../src/workspaces/settings.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';
import { NOW, openReportScene } from './support/scene.ts';

const scene = opened(openReportScene);

const ask = async (report: string) =>
  (await scene.door.api.call('GET', `/api/v1/reports/${report}?period=7d`, { key: scene.key }))
    .body;

/** Two members, each of whom writes one message every two minutes, in turn. */
async function writing(count: number, from: string): Promise<void> {
  const past = pastOf(scene.door.database, scene.ctx);
  const contactId = await past.contact(from);
  const conversationId = await past.conversation(from, scene.numberId, contactId);
  for (let n = 0; n < count; n += 1) {
    for (const [name, ms] of [
      ['bia', 0],
      ['caio', 60_000],
    ] as const) {
      const at = new Date(Date.parse(from) + n * 120_000 + ms).toISOString();
      const author = { type: 'member', id: `mem_${name}`, name };
      await past.say({ conversationId, at, source: 'member', author });
    }
  }
}

/** Days that were written down in another zone are counted from the messages. */
async function inZone<T>(time_zone: string, ask: () => Promise<T>): Promise<T> {
  await changeSettings(scene.ctx, { time_zone });
  const answer = await ask();
  await changeSettings(scene.ctx, { time_zone: 'America/Sao_Paulo' });
  return answer;
}

describe('what a message costs a member', () => {
  it('is the median that was measured, once there are 50 samples, and a minute and a half before', async () => {
    await writing(23, '2026-11-18T12:00:00Z');
    const few = (await ask('automation')).saved;
    const { ctx, door } = scene;
    const control = { now: NOW, mayGoOn: () => true };
    await rollUpWorkspace(door.database, ctx.organizationId, control);
    const countedAnew = await inZone('America/Manaus', async () => (await ask('automation')).saved);
    await writing(5, '2026-11-21T12:00:00Z');
    const enough = (await ask('automation')).saved;

    for (const before of [few, countedAnew])
      expect(before).toMatchObject({ per_message: 1.5, measured: false });
    expect(enough).toEqual({ minutes: 6, per_message: 2, measured: true });
  });
});

describe('a question in the report', () => {
  it('counts once, though its day was written down in another zone', async () => {
    const { ctx, door } = scene;
    await rollUpWorkspace(door.database, ctx.organizationId, { now: NOW, mayGoOn: () => true });

    const asked = (await ask('automation')).questions;
    const countedAnew = await inZone(
      'America/Manaus',
      async () => (await ask('automation')).questions,
    );

    expect(asked).not.toEqual([]);
    expect(countedAnew).toEqual(asked);
  });
});

describe('a number in the report', () => {
  it('says since when it is not connected, and null while it is', async () => {
    const since = new Date(NOW.getTime() - 3_600_000);
    await rowsOf(
      scene.ctx,
      `update numbers set status = 'disconnected', down_since = $2 where id = $1`,
      [scene.silentId, since],
    );

    const { numbers } = await ask('numbers');

    expect(
      numbers.map(({ id, status, disconnected_at }: Record<string, unknown>) => [
        id,
        status,
        disconnected_at,
      ]),
    ).toEqual([
      [scene.silentId, 'disconnected', since.toISOString()],
      [scene.numberId, 'connected', null],
    ]);
  });
});

describe('the automations in the report', () => {
  it('are those that ran most first, however old, and those that are on and did not run', async () => {
    const past = pastOf(scene.door.database, scene.ctx);
    const newer = await past.automation('Lembrete');
    await past.run(newer, '2026-11-20T14:00:00Z', { status: 'succeeded' });
    const idle = await past.automation('Parada');
    const off = await past.automation('Desligada');
    await rowsOf(scene.ctx, `update automations set status = 'inactive' where id = $1`, [off]);

    const { automations } = await ask('automation');

    expect(automations.map(({ id, runs }: Record<string, unknown>) => [id, runs])).toEqual([
      [scene.automationId, 4],
      [newer, 1],
      [idle, 0],
    ]);
  });
});
