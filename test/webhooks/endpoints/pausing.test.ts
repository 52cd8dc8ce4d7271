import { describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { opened } from '../../support/opened.ts';
import { anEndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(() => openWebhookDoor({ wake: (what) => void wakes.push(what) }));
const wakes: unknown[] = [];

const scene = () => anEndpointScene(door);

interface Row {
  readonly status: string;
  readonly paused: boolean;
  readonly looked: boolean;
  readonly revision: number;
  readonly failures: number;
}

const ENDPOINT = `
  select status, paused_at is not null as paused, drain_at is not null as looked, revision, failures_in_row as failures
  from webhook_endpoints where id = $1`;

describe('pausing an endpoint', () => {
  it('changes its row, calls its drain, and wakes the workflows of its retries alone', async () => {
    const { call, rows, deliveries, commands } = await scene();
    await deliveries(3);
    const [mine = ''] = await deliveries(1, "owned_by_workflow = true, status = 'retrying'");
    await deliveries(1, "owned_by_workflow = true, status = 'failed', finished_at = now()");
    wakes.length = 0;

    const paused = await call('POST', '/pause');

    expect([paused.status, paused.body.status]).toEqual([200, 'paused']);
    expect(await rows<Row>(ENDPOINT)).toEqual([
      { status: 'paused', paused: true, looked: true, revision: 2, failures: 0 },
    ]);
    expect(await commands()).toEqual(['delivery.changed', 'endpoint.changed']);
    const told = await rows<{ payload: string }>(
      "select payload from facts where type = 'delivery.changed' and $1 <> ''",
    );
    expect(told.map(({ payload }) => JSON.parse(payload).deliveryId)).toEqual([mine]);
    expect(wakes).toEqual(['commands', 'endpoints']);
  });

  it('shows all that is not finished as held from that moment on, and what is finished as it is', async () => {
    const { call, deliveries } = await scene();
    const [waiting] = await deliveries(1);
    const [failing] = await deliveries(
      1,
      "status = 'retrying', attempts = 1, next_attempt_at = now() + interval '1 minute'",
    );
    const [done] = await deliveries(1, "status = 'succeeded', attempts = 1, finished_at = now()");

    await call('POST', '/pause');

    const { body } = await call('GET', '/deliveries');
    const shown = body.data.map(({ id, status, next_attempt_at }: Record<string, unknown>) => [
      id,
      status,
      next_attempt_at,
    ]);
    expect(shown).toEqual([
      [done, 'succeeded', null],
      [failing, 'held', null],
      [waiting, 'held', null],
    ]);
    expect((await call('GET', `/deliveries/${failing}`)).body.schedule).toEqual([]);
  });

  it('counts from when operators paused it, also once its owner has taken that over', async () => {
    const { ctx, id, call, rows } = await scene();
    const pause = () =>
      rows('select paused_at, paused_by_operator as theirs from webhook_endpoints where id = $1');
    await pauseEndpoint({ ...ctx, actor: system('wms command line') }, id);
    const [before] = await pause();
    expect(before).toMatchObject({ theirs: true });

    expect((await call('POST', '/pause')).status).toBe(200);

    expect(await pause()).toEqual([{ ...(before as object), theirs: false }]);
  });

  it('is done once, however often it is asked for, and is in the log', async () => {
    const { call, rows, commands, log } = await scene();

    const answers = await Promise.all([call('POST', '/pause'), call('POST', '/pause')]);
    const again = await call('POST', '/pause');

    expect(answers.map(({ text }) => text)).toEqual([again.text, again.text]);
    expect((await rows<Row>(ENDPOINT))[0]?.revision).toBe(2);
    expect(await commands()).toEqual(['endpoint.changed']);
    expect(await log()).toEqual(['webhook.paused']);
  });
});

describe('resuming an endpoint', () => {
  it('makes it active and healthy, and calls its drain', async () => {
    const { call, rows, commands, log, id } = await scene();
    await rows('update webhook_endpoints set failures_in_row = 40 where id = $1');
    await call('POST', '/pause');

    const resumed = await call('POST', '/resume');

    expect(resumed.body).toMatchObject({ id, status: 'active' });
    expect(await rows<Row>(ENDPOINT)).toEqual([
      { status: 'active', paused: false, looked: true, revision: 3, failures: 0 },
    ]);
    expect(await commands()).toEqual(['endpoint.changed', 'endpoint.changed']);
    expect(await log()).toEqual(['webhook.paused', 'webhook.resumed']);
  });

  it('of an active one changes nothing', async () => {
    const { call, rows, commands, log, deliveries } = await scene();
    await deliveries(1);

    const resumed = await call('POST', '/resume');

    expect([resumed.status, resumed.body.status]).toEqual([200, 'active']);
    expect((await rows<Row>(ENDPOINT))[0]?.revision).toBe(1);
    expect([await commands(), await log()]).toEqual([[], []]);
  });

  it('of an active one begins the drain again that an operator ended', async () => {
    const { call, commands, log, deliveries } = await scene();
    await deliveries(2, "status = 'held', in_backlog = true, held_at = now()");

    await call('POST', '/resume');

    expect(await commands()).toEqual(['endpoint.changed']);
    expect(await log()).toEqual(['webhook.resumed']);
  });

  it('of an active one whose backlog is being drained changes nothing', async () => {
    const { call, rows, commands, log, deliveries } = await scene();
    await deliveries(2, "status = 'held', in_backlog = true, held_at = now()");
    await rows('update webhook_endpoints set failures_in_row = 7, drain_at = now() where id = $1');

    expect((await call('POST', '/resume')).body.status).toBe('active');

    expect(await rows<Row>(ENDPOINT)).toEqual([
      { status: 'active', paused: false, looked: true, revision: 1, failures: 7 },
    ]);
    expect([await commands(), await log()]).toEqual([[], []]);
  });
});

describe('an endpoint', () => {
  it.each(['pause', 'resume'])('that is deleted answers 404 to %s', async (step) => {
    const { call } = await scene();
    await call('DELETE');

    const answer = await call('POST', `/${step}`);

    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });

  it('leaves its deliveries alone while it is deleted: the drain ends them', async () => {
    const { call, rows, deliveries, commands } = await scene();
    await deliveries(2);
    await deliveries(1, "owned_by_workflow = true, status = 'retrying'");

    await call('DELETE');

    expect(await commands()).toEqual(['delivery.changed', 'endpoint.changed']);
    expect(
      await rows(
        'select deleted_at is not null as deleted, drain_at is not null as looked, revision from webhook_endpoints where id = $1',
      ),
    ).toEqual([{ deleted: true, looked: true, revision: 2 }]);
    expect(
      await rows('select from webhook_deliveries where endpoint_id = $1 and finished_at is null'),
    ).toHaveLength(3);
  });

  it('is told to the processes when its address changes, and not when its name does', async () => {
    const { call, rows } = await scene();
    const revision = async () => (await rows<Row>(ENDPOINT))[0]?.revision;
    wakes.length = 0;

    await call('PATCH', '', { name: 'Loja', events: ['message.sent'] });
    expect([await revision(), wakes]).toEqual([1, []]);
    await call('PATCH', '', { url: 'https://new.example.com/in' });

    expect([await revision(), wakes]).toEqual([2, ['endpoints']]);
  });

  it('that is a listener is neither listed, nor counted, nor reached by any call', async () => {
    const { call, rows, key } = await scene();
    await rows("update webhook_endpoints set kind = 'listener' where id = $1");
    await rows("update workspaces set plan = 'essencial' where $1 <> ''");
    const calls = ['GET ', 'PATCH ', 'DELETE ', 'POST /pause', 'POST /resume', 'POST /rotate'];
    const others = ['POST /test', 'POST /resend', 'GET /deliveries'];

    for (const [method = '', path = ''] of [...calls, ...others].map((one) => one.split(' '))) {
      const answer = await call(method, path, method === 'PATCH' ? { name: 'x' } : undefined);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const list = await door.api.call('GET', '/api/v1/webhooks', { key });
    expect(list.body.data).toEqual([]);
    const wish = { name: 'a', url: 'https://hooks.example.com/', events: ['message.sent'] };
    const made = [1, 2].map(() => door.api.call('POST', '/api/v1/webhooks', { key, body: wish }));
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual([201, 201]);
  });
});
