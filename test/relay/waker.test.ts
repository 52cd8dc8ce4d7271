import { describe, expect, it } from '@jest/globals';
import type { Wake } from '../../src/context.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { openTestDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';

const files = opened(openTestDatabase);

/** Two, of which the second hears the first: that finds nobody connected yet, as when a process starts. */
async function connected() {
  const one = createWaker(files);
  const other = createWaker(files);
  const heard: string[] = [];
  other.onWake((news) => void heard.push(news));
  await eventually(async () => {
    await one.wake('triggers');
    return heard.includes('triggers');
  });
  return { one, heard, close: () => Promise.all([one.close(), other.close()]) };
}

it('tells other processes of whatever was committed last, however much at once and while it is telling', async () => {
  const { one, heard, close } = await connected();

  for (let n = 0; n < 200; n += 1) {
    void one.wake('commands');
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  void one.wake('reports');
  void one.wake('events');

  await eventually(() => heard.includes('events') && heard.includes('reports'));
  expect(new Set(heard)).toEqual(new Set(['triggers', 'commands', 'reports', 'events']));
  await close();
});

it('passes on nothing that is no news, whoever of the database says it', async () => {
  const { heard, close } = await connected();
  await asOwner(files.url, "notify wms_facts, 'constructor,,?,events'");

  await eventually(() => heard.includes('events'));
  expect(new Set(heard)).toEqual(new Set(['triggers', 'events']));
  await close();
});

it('tells other processes of many reports together', async () => {
  const { one, heard, close } = await connected();

  const began = performance.now();
  for (let n = 0; n < 60; n += 1) {
    void one.wake('reports');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await eventually(() => heard.includes('reports'));
  const told = heard.filter((news) => news === 'reports').length;

  expect(told).toBeLessThanOrEqual(2 + (performance.now() - began) / 100);
  await close();
});

describe('whoever stops something', () => {
  it('is answered when all others have acted upon it, however long that takes them, also by its first word', async () => {
    // Nobody is given up here, however busy the machine is.
    const patient = () => createWaker({ ...files, latestMs: 60_000 });
    const asking = patient();
    const quick = patient();
    const slow = patient();
    const acted: string[] = [];
    const act = (who: string, ms: number): Wake => {
      return async (news) => {
        if (news !== 'endpoints') return;
        await new Promise((resolve) => setTimeout(resolve, ms));
        acted.push(who);
      };
    };
    quick.onWake(act('quick', 0));
    slow.onWake(act('slow', 300));
    await eventually(async () => {
      await slow.wake('endpoints');
      return acted.includes('quick');
    });
    acted.length = 0;

    await asking.wake('endpoints');

    expect(acted.toSorted()).toEqual(['quick', 'slow']);
    await Promise.all([asking.close(), quick.close(), slow.close()]);
  });

  it('is heard by one that lost its connection meanwhile, as soon as it has another', async () => {
    const { one, heard, close } = await connected();
    heard.length = 0;

    await asOwner(
      files.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'select pg_advisory_lock(%'`,
    );
    await one.wake('endpoints');
    await one.wake('campaigns');

    await eventually(() => heard.includes('endpoints') && heard.includes('campaigns'));
    await close();
  });

  it('does not wait for ever for one that hangs', async () => {
    const asking = createWaker(files);
    const hanging = createWaker(files);
    const heard: string[] = [];
    hanging.onWake((news) => {
      heard.push(news);
      return new Promise(() => {});
    });
    await eventually(async () => {
      await asking.wake('triggers');
      return heard.includes('triggers');
    });

    await asking.wake('endpoints');

    await eventually(() => heard.includes('endpoints'));
    await Promise.all([asking.close(), hanging.close()]);
  });
});
