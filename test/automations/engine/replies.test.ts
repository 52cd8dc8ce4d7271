import { beforeEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { eventually } from '../../support/waiting.ts';
import { anEngineScene, type EngineScene } from './support/person.ts';
import { openEngineStage } from './support/stage.ts';

const HOUR = 3_600_000;

const stage = opened(openEngineStage);
let scene: EngineScene;

beforeEach(async () => {
  scene = await anEngineScene(stage);
});

const listen = (id: string, next: string) => ({
  id,
  type: 'wait_for_reply',
  timeout: 'P1D',
  next,
  on_timeout: 'late',
});
const say = (id: string, text: string, next = 'end') => ({ id, type: 'send_message', text, next });
const LATE = say('late', 'late');

/** Listens three times, then says what it heard. */
const THREE = [
  listen('one', 'two'),
  listen('two', 'three'),
  listen('three', 'echo'),
  say('echo', '{{step.one.answer}} {{step.two.answer}} {{step.three.answer}}'),
  LATE,
];

describe('replies', () => {
  it('are heard in their order and each once, even when three come at one moment', async () => {
    const person = await scene.person();
    const runId = await person.begin(await scene.automation(THREE));

    for (const text of ['A', 'B', 'C', 'D']) await person.writes(text);
    await stage.settle();

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect((await person.heard()).map(({ text }) => text)).toEqual(['A B C']);
    await stage.handle(runId).result();
  });

  it('wake the run of their conversation and no other, at once', async () => {
    const automationId = await scene.automation([
      listen('one', 'echo'),
      say('echo', 'heard'),
      LATE,
    ]);
    const writing = await scene.person();
    const silent = await scene.person();
    const heard = await writing.begin(automationId);
    const waiting = await silent.begin(automationId);
    await stage.advance(HOUR);

    await writing.writes('Oi');
    await stage.settle();

    expect(await scene.run(heard)).toMatchObject({ status: 'succeeded' });
    expect(await scene.run(waiting)).toMatchObject({ status: 'waiting', waitsFor: 'reply' });
    expect((await writing.heard()).map(({ text }) => text)).toEqual(['heard']);
    await stage.handle(heard).result();
    await keepHistory(stage.handle(heard), 'run-automation-answered-before-it-began');
    await stage.advance(24 * HOUR);
    expect((await silent.heard()).map(({ text }) => text)).toEqual(['late']);
  });

  it('are not what was written before the run began, nor while it waited for its time', async () => {
    const person = await scene.person();
    await person.writes('before');
    await stage.settle();
    const runId = await person.begin(
      await scene.automation([
        { id: 'pause', type: 'wait', duration: 'PT2H', next: 'one' },
        listen('one', 'echo'),
        say('echo', '{{step.one.answer}}'),
        LATE,
      ]),
    );
    await stage.advance(HOUR);
    await person.writes('meanwhile');
    await stage.advance(2 * HOUR);
    expect(await scene.run(runId)).toMatchObject({ waitsFor: 'reply' });

    await person.writes('answer');
    await stage.settle();

    expect((await person.heard()).map(({ text }) => text)).toEqual(['answer']);
  });

  it('go to one run of a conversation: a later one listens in its place only when it is more important', async () => {
    const steps = [listen('one', 'end'), LATE];
    const low = await scene.automation(steps, { entry: { priority: 1 } });
    const same = await scene.automation(steps, { entry: { priority: 1 } });
    const high = await scene.automation(steps, { entry: { priority: 2 } });
    const person = await scene.person();

    const first = await person.begin(low);
    const second = await person.begin(same);
    expect(await scene.run(second)).toMatchObject({ status: 'succeeded' });
    expect(await scene.steps(second)).toEqual(['one succeeded', 'late succeeded', 'end succeeded']);
    const third = await person.begin(high);
    await stage.advance(HOUR);

    // Its workflow was told while time was skipped, and may still be at it.
    await eventually(async () => (await scene.run(first)).status === 'succeeded');
    expect(await scene.steps(first)).toEqual(['one succeeded', 'late succeeded', 'end succeeded']);
    expect(await scene.run(third)).toMatchObject({ status: 'waiting', waitsFor: 'reply' });
  });

  it.each([
    ['of whoever stays', 1],
    ['that is more important', 2],
  ])('go to the run %s when two people become one', async (_, priority) => {
    const steps = [listen('one', 'end'), LATE];
    const stays = await scene.person();
    const goes = await scene.person();
    const own = await stays.begin(await scene.automation(steps, { entry: { priority: 1 } }));
    const other = await goes.begin(await scene.automation(steps, { entry: { priority } }));
    const [kept, silenced] = priority > 1 ? [other, own] : [own, other];
    await stage.settle();

    await mergeContacts(await stage.at(scene.organizationId), stays.contactId, goes.contactId);
    await stage.advance(HOUR);

    // Its workflow, too, was told while time was skipped.
    await eventually(async () => (await scene.steps(silenced)).includes('late succeeded'));
    expect(await scene.run(kept)).toMatchObject({ status: 'waiting', waitsFor: 'reply' });
    expect((await stays.heard()).map(({ text }) => text)).toEqual(['late']);
  });

  it.each(['stays', 'goes'])(
    'are a person’s where one answers whoever %s when two people become one',
    async (answered) => {
      const stays = await scene.person();
      const goes = await scene.person();
      const automation = await scene.automation([listen('one', 'end'), LATE]);
      const [attended, talks] = answered === 'stays' ? [stays, goes] : [goes, stays];
      const runId = await talks.begin(automation);
      const text = "update conversations set handled_by = 'member' where id = $1";
      await scene.rows(text, attended.conversationId);

      await mergeContacts(await stage.at(scene.organizationId), stays.contactId, goes.contactId);

      expect(await scene.run(runId)).toMatchObject({ status: 'handed_over', waitsFor: null });
      expect(await scene.rows('select id, handled_by as by from conversations')).toEqual([
        { id: stays.conversationId, by: 'member' },
      ]);
    },
  );
});
