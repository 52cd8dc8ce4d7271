import { describe, expect, it } from '@jest/globals';
import { nextLocalTime } from '../../../src/automations/running/local-time.ts';
import { drawnWay } from '../../../src/automations/running/weighted-choice.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { someContacts } from '../../support/factories/contacts.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const HOUR_MS = 3_600_000;
const says = (id: string) => ({ id, type: 'send_message', text: id, next: 'end' });

describe('the next local time', () => {
  const at = (
    now: string,
    time: string,
    timeZone = 'America/Sao_Paulo',
    weekdays: number[] = [],
  ): string => nextLocalTime({ time, weekdays, timeZone }, new Date(now)).toISOString();

  it.each([
    // Saturday 09:00 there.
    ['2026-11-21T11:59:59.999Z', '09:00', [], '2026-11-21T12:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '09:00', [], '2026-11-22T12:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '09:01', [], '2026-11-21T12:01:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '08:00', [1, 2, 3, 4, 5], '2026-11-23T11:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '10:00', [6], '2026-11-21T13:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '08:00', [6], '2026-11-28T11:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', '00:30', [7], '2026-11-22T03:30:00.000Z'],
  ])('from %s at %s on %j is %s', (now, time, weekdays, expected) => {
    expect(at(now, time, 'America/Sao_Paulo', weekdays)).toBe(expected);
  });

  it('comes later by the gap when clocks go forward, and once when they go back', () => {
    const newYork = 'America/New_York';
    expect(at('2027-03-14T06:00:00Z', '02:30', newYork)).toBe('2027-03-14T07:30:00.000Z');
    expect(at('2027-11-07T05:00:00Z', '01:30', newYork)).toBe('2027-11-07T05:30:00.000Z');
    expect(at('2027-11-07T05:30:01Z', '01:30', newYork)).toBe('2027-11-08T06:30:00.000Z');
  });
});

describe('wait', () => {
  it('goes on when its time is over, not before', async () => {
    const scene = await aRunScene(stage);
    const { runId, waitUntil } = await play(scene, [
      { id: 'w', type: 'wait', duration: 'PT2H', next: 'a' },
      says('a'),
    ]);
    expect(waitUntil).toEqual(new Date(scene.now.getTime() + 2 * HOUR_MS));
    later(scene, 2 * HOUR_MS - 1);
    await scene.advance(runId);
    expect(await scene.said()).toEqual([]);

    later(scene, 1);
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['a']);
  });

  it.each([
    [null, '2026-11-23T13:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-23T01:00:00.000Z'],
  ])(
    "reads the time of day in the contact's zone (%s), else the workspace's",
    async (zone, expected) => {
      const scene = await aRunScene(stage);
      await scene.rows('update contacts set time_zone = $1', zone);

      const { waitUntil } = await play(scene, [
        { id: 'w', type: 'wait', until: '10:00', weekdays: [1, 2, 3, 4, 5], next: 'end' },
      ]);

      expect(waitUntil?.toISOString()).toBe(expected);
    },
  );
});

describe('wait_until', () => {
  const startWaiting = async (scene: RunScene): Promise<string> => {
    const day = { open: true, from: '10:00', to: '18:00' };
    const week = JSON.stringify(Array.from({ length: 7 }, () => day));
    await scene.rows('update numbers set hours = $1::jsonb', week);
    const when = { field: 'now.in_hours', op: 'is', value: true };
    const wait = { id: 'u', type: 'wait_until', when, timeout: 'P3D', next: 'end' };
    return scene.start([{ ...wait, on_timeout: 'end' }], { conversationId: null });
  };

  it('waits for the hours of the number that a run without a conversation would speak on', async () => {
    const scene = await aRunScene(stage);
    const runId = await startWaiting(scene);

    // It is nine o'clock in São Paulo.
    expect(await scene.advance(runId)).toMatchObject({ stage: 'waiting', waitMs: 15 * 60_000 });
    scene.now = new Date('2026-11-21T12:59:00.000Z');
    expect(await scene.advance(runId)).toMatchObject({ stage: 'waiting', waitMs: 60_000 });
    scene.now = new Date('2026-11-21T13:00:00.000Z');
    expect(await scene.advance(runId)).toMatchObject({ stage: 'succeeded' });
    expect(await scene.run(runId)).toMatchObject({ conversationId: null });
  });

  it.each(['its number', 'the only number'])(
    'waits for its hours while %s is down',
    async (which) => {
      const scene = await aRunScene(stage);
      if (which === 'the only number') await scene.rows('delete from conversations');
      const runId = await startWaiting(scene);
      await scene.advance(runId);
      await scene.rows("update numbers set status = 'disconnected'");

      later(scene, 15 * 60_000);

      expect(await scene.advance(runId)).toMatchObject({ stage: 'waiting', waitMs: 15 * 60_000 });
    },
  );

  const vip = { field: 'tag', op: 'has_any', value: ['vip'] };
  const steps = [
    {
      id: 'u',
      type: 'wait_until',
      when: vip,
      timeout: 'P3D',
      next: 'a',
      on_timeout: 'b',
    },
    says('a'),
    says('b'),
  ];
  const tag = (scene: RunScene): Promise<unknown> =>
    updateContact(scene.ctx, scene.contactId, { tags: ['VIP'] });

  it('goes on at once when it is so already', async () => {
    const scene = await aRunScene(stage, { contact: { tags: ['vip'] } });
    const { runId } = await play(scene, steps);

    expect(await scene.said()).toEqual(['a']);
    expect(await scene.outputs(runId, 'u')).toEqual([{ timed_out: false }]);
  });

  it('looks again until it is so', async () => {
    const scene = await aRunScene(stage);
    const { runId, waitUntil } = await play(scene, steps);
    later(scene, HOUR_MS);
    await scene.advance(runId);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', waitUntil });

    await tag(scene);
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['a']);
  });

  it('goes another way after its time, unless it has come true by then', async () => {
    const scene = await aRunScene(stage);
    const late = await play(scene, steps);
    const inTime = await play(scene, steps);
    later(scene, 72 * HOUR_MS);
    await scene.advance(late.runId);
    await tag(scene);
    await scene.advance(inTime.runId);

    expect(await scene.said()).toEqual(['b', 'a']);
    expect(await scene.outputs(late.runId, 'u')).toEqual([{ timed_out: true }]);
  });
});

describe('branch', () => {
  it.each([
    [['vip'], 'Oi', 'a'],
    [['vip'], 'preço', 'a'],
    [[], 'Qual o preço?', 'b'],
    [[], 'Oi', 'c'],
  ])(
    'takes the first case that holds: tags %j, message %j lead to %s',
    async (tags, text, expected) => {
      const scene = await aRunScene(stage, { contact: { tags } });
      const messageId = await scene.hears(text);
      const cases = [
        { when: { field: 'tag', op: 'has_any', value: ['vip'] }, next: 'a' },
        { when: { field: 'message.text', op: 'contains', value: 'preço' }, next: 'b' },
      ];

      await play(
        scene,
        [{ id: 'x', type: 'branch', cases, else: 'c' }, says('a'), says('b'), says('c')],
        { messageId },
      );

      expect(await scene.said()).toEqual([expected]);
    },
  );
});

describe('split', () => {
  it('gives the ways their weights, and everybody the same one after each release', () => {
    const ways = [
      { weight: 3, next: 'a' },
      { weight: 1, next: 'b' },
      { weight: 4, next: null },
    ];
    const drawn = Array.from({ length: 8_000 }, (_, n) => drawnWay(ways, `con_${n}`));
    const share = (way: string | null): number => drawn.filter((each) => each === way).length;

    // Near 3,000, 1,000 and 4,000; exactly these as long as nobody is sent another way than before.
    expect([share('a'), share('b'), share(null)]).toEqual([3_086, 1_021, 3_893]);
  });

  it('gives each contact one way for ever, in whatever run', async () => {
    const scene = await aRunScene(stage);
    const people = await someContacts(scene.ctx, 12);
    const branches = ['a', 'b'].map((next) => ({ weight: 1, next }));
    const automationId = await scene.publish([
      { id: 'x', type: 'split', branches },
      { id: 'a', type: 'end' },
      { id: 'b', type: 'end' },
    ]);
    const waysOfAll = async (): Promise<(string | null)[]> => {
      const ways: (string | null)[] = [];
      for (const { id: contactId } of people) {
        const runId = await scene.begin(automationId, { contactId, conversationId: null });
        await scene.advance(runId);
        ways.push((await scene.run(runId)).step);
      }
      return ways;
    };
    const ways = await waysOfAll();

    expect(await waysOfAll()).toEqual(ways);
  });
});

describe('go_to', () => {
  it('jumps so many times in a run, then goes on', async () => {
    const scene = await aRunScene(stage);
    await play(scene, [
      { ...says('a'), next: 'j' },
      { id: 'j', type: 'go_to', to: 'a', max_times: 3, next: 'b' },
      says('b'),
    ]);

    expect(await scene.said()).toEqual(['a', 'a', 'a', 'a', 'b']);
  });
});
