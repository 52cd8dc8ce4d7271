import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { processDue } from '../../src/inbound/processor.ts';
import { claimWebhooks } from '../../src/inbound/queries.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMessageWebhook, aStatusWebhook, type InboundStage } from '../support/inbound.ts';
import { openWritingScene, type WritingScene } from './support/writing.ts';

let scene: WritingScene;
let stage: InboundStage;
let mine: string;
let another: string;

beforeEach(async () => {
  scene = await openWritingScene();
  ({ stage, phoneNumberId: mine } = scene);
  another = (await aNumber(scene.ctx)).phoneNumberId ?? '';
});

afterEach(() => scene.close());

const write = (phoneNumberId: string, text: string) =>
  stage.post(aMessageWebhook(phoneNumberId, { id: `wamid.${text}`, text }));

const entriesOf = (phoneNumberId: string, text: string): readonly unknown[] =>
  Reflect.get(aMessageWebhook(phoneNumberId, { id: `wamid.${text}`, text }), 'entry');

/** While one worker has in hand what is stored now, and does not get further. */
const whileAnotherIsAtIt = <T>(work: () => Promise<T>): Promise<T> =>
  asSystem(stage.database, async (sql) => {
    expect(await claimWebhooks(sql)).toHaveLength(1);
    return work();
  });

describe('what comes while another worker has an earlier message of the number in hand', () => {
  it('waits if it is a message too, and comes after it', async () => {
    await write(mine, 'first');

    const meanwhile = await whileAnotherIsAtIt(async () => {
      await write(mine, 'second');
      return processDue(stage.options);
    });
    await stage.process();

    expect(meanwhile).toBe(0);
    expect(await scene.texts()).toEqual(['first', 'second']);
  });

  it('does not wait if it is about another number', async () => {
    await write(mine, 'first');

    const meanwhile = await whileAnotherIsAtIt(async () => {
      await write(another, 'elsewhere');
      return processDue(stage.options);
    });

    expect(meanwhile).toBe(1);
    expect(await scene.texts()).toEqual(['elsewhere']);
  });

  it('does not wait if it only reports, whose order does not matter', async () => {
    await write(mine, 'first');

    const meanwhile = await whileAnotherIsAtIt(async () => {
      await stage.post(aStatusWebhook(mine, [{ id: 'wamid.r', status: 'read', key: 'r' }]));
      return processDue(stage.options);
    });

    expect(meanwhile).toBe(1);
  });

  it('waits if only one of its numbers is in another’s hands', async () => {
    await write(mine, 'first');
    const entries = [another, mine].flatMap((each) => entriesOf(each, 'both'));

    const meanwhile = await whileAnotherIsAtIt(async () => {
      await stage.post({ object: 'whatsapp_business_account', entry: entries });
      return processDue(stage.options);
    });

    expect(meanwhile).toBe(0);
  });
});
