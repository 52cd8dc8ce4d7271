import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWaker } from '../../src/relay/waker.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/receiver.ts';

let files: TestDatabase;
beforeAll(async () => {
  files = await openTestDatabase();
});
afterAll(() => files.close());

it('tells other processes of whatever was committed last, however much at once and while it is telling', async () => {
  const [one, other] = [createWaker(files), createWaker(files)];
  const heard: string[] = [];
  other.onWake((news) => void heard.push(news));
  // The first finds nobody connected yet, as when a process starts.
  await eventually(async () => {
    await one.wake('triggers');
    return heard.includes('triggers');
  });

  for (let n = 0; n < 200; n += 1) {
    void one.wake('commands');
    if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  void one.wake('reports');
  void one.wake('events');

  await eventually(() => heard.includes('events') && heard.includes('reports'));
  expect(new Set(heard)).toEqual(new Set(['triggers', 'commands', 'reports', 'events']));
  await Promise.all([one.close(), other.close()]);
});

it('tells other processes of many reports together', async () => {
  const [one, other] = [createWaker(files), createWaker(files)];
  const heard: string[] = [];
  other.onWake((news) => void heard.push(news));
  await eventually(async () => {
    await one.wake('triggers');
    return heard.includes('triggers');
  });

  const began = performance.now();
  for (let n = 0; n < 60; n += 1) {
    void one.wake('reports');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await eventually(() => heard.includes('reports'));
  const told = heard.filter((news) => news === 'reports').length;

  expect(told).toBeLessThanOrEqual(2 + (performance.now() - began) / 100);
  await Promise.all([one.close(), other.close()]);
});
