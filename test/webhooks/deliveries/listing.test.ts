import { expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { sendTestEvent } from '../../../src/webhooks/deliveries/testing.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { opened } from '../../support/opened.ts';
import { openShell } from '../../support/shell.ts';

const shell = opened(() => openShell({ NODE_ENV: 'test' }));

const list = (...args: string[]) => shell.wms('deliveries', 'list', ...args);
const listInWords = (...args: string[]) => shell.wmsInWords('deliveries', 'list', ...args);
const listAnywhere = (...args: string[]) => shell.wmsAnywhere('deliveries', 'list', ...args);

/** A paused endpoint, and the events that it holds. */
async function held(count: number): Promise<{ endpoint: string; events: string[] }> {
  const { ctx } = shell;
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/in');
  await pauseEndpoint(ctx, id);
  const events: string[] = [];
  for (let n = 0; n < count; n += 1) events.push((await sendTestEvent(ctx, id, {})).event_id);
  return { endpoint: id, events };
}

it('lists those of an endpoint by its id alone, as the runbook of failing endpoints has it', async () => {
  const { endpoint } = await held(1);
  const unnamed = newId('whk');

  const listed = await listAnywhere('--endpoint', endpoint, '--json');
  const unknown = await listAnywhere('--endpoint', unnamed);

  expect([listed.code, listed.json]).toEqual([
    0,
    [expect.objectContaining({ webhook_id: endpoint })],
  ]);
  expect([unknown.code, unknown.err]).toEqual([
    1,
    `There is no endpoint or listener ${unnamed}.\n`,
  ]);
});

it('lists those of an event by its id alone', async () => {
  const { endpoint, events } = await held(2);
  const { endpoint: another } = await held(1);
  const [event = ''] = events;
  const unnamed = newId('evt');

  const listed = await listAnywhere('--event', event, '--json');
  const there = await listAnywhere('--event', event, '--endpoint', endpoint, '--json');
  const elsewhere = await listAnywhere('--event', event, '--endpoint', another, '--json');
  const unknown = await listAnywhere('--event', unnamed);

  const one = [expect.objectContaining({ event_id: event, webhook_id: endpoint })];
  expect([listed.json, there.json, elsewhere.json]).toEqual([one, one, []]);
  expect([unknown.code, unknown.err]).toEqual([1, `There is no event ${unnamed}.\n`]);
});

it('says when there are more than it lists, beside the list', async () => {
  const { endpoint } = await held(2);

  const cut = await list('--endpoint', endpoint, '--limit', '1');
  const whole = await list('--endpoint', endpoint, '--limit', '2');

  expect([cut.json.length, cut.err]).toEqual([
    1,
    'These are the newest 1; there are more: see --limit.\n',
  ]);
  expect([whole.json.length, whole.err]).toEqual([2, '']);
});

it.each([
  [['--status', 'lost'], 'status: The status is one of pending'],
  [['--limit', '0'], 'limit: The limit is a whole number from 1 to 1000.\n'],
  [['--event', 'order-17'], 'event: An event is named by its id, evt_…, which a request carries'],
])('refuses %j, which there cannot be', async (args, message) => {
  const { code, err } = await listInWords(...args);

  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});
