import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSafeSender, type SafeSender } from '../../../src/net/sender.ts';
import { floods, head } from '../../net/support/receiver.ts';
import { type Listener, startTcp } from '../../net/support/servers.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { aRunScene, openRunStage, type RunScene, type RunStage } from './support/scene.ts';

let stage: RunStage;
let scene: RunScene;
let receiver: Receiver;
let flood: Listener;
let silence: Listener;
let sender: SafeSender;

beforeAll(async () => {
  stage = await openRunStage();
  receiver = await startReceiver();
  flood = await startTcp(floods(head(), Buffer.alloc(16_384, 'x')));
  silence = await startTcp(() => {});
  const ports = [flood, silence].map(({ port }) => `http://127.0.0.1:${port}`);
  sender = createSafeSender({ trustedOrigins: [receiver.origin, ...ports] });
});
afterAll(async () => {
  await sender.close();
  await Promise.all([receiver.close(), flood.close(), silence.close(), stage.close()]);
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 200, body: 'ok' });
  const contact = { name: 'Ana "Nina" Souza', custom: { city: 'São Paulo & Santos' } };
  scene = await aRunScene(stage, { contact, effects: { sender } });
});

/** The gate of drafts lets the address pass, as an operator's word would; the sender judges for itself. */
async function runOf(step: object, url = `${receiver.origin}/hook?x=1`): Promise<string> {
  const steps = [
    { id: 's', type: 'http_request', url, next: 'end', ...step },
    { id: 'failed', type: 'end' },
  ];
  const runId = await scene.start(steps, { trustedOrigins: [new URL(url).origin] });
  await scene.advance(runId);
  await scene.advance(runId, 'workflow');
  await scene.advance(runId, 'workflow');
  return runId;
}

const errorOf = async (runId: string): Promise<unknown> =>
  (
    await scene.rows<{ error: unknown }>('select error from automation_runs where id = $1', runId)
  )[0]?.error;

describe('a step that asks another server', () => {
  it('sends what its author wrote, filled in for the person, with a key of its own', async () => {
    const runId = await runOf({
      method: 'PUT',
      headers: { 'X-Token': 'secret', 'Idempotency-Key': 'mine' },
      body: '{"name":"{{name}}"}',
    });

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({
      path: '/hook?x=1',
      body: '{"name":"Ana \\"Nina\\" Souza"}',
      headers: {
        'x-token': 'secret',
        'content-type': 'application/json',
        'idempotency-key': `${runId}-1`,
      },
    });
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.outputs(runId, 's')).toEqual([{ status: 200, ok: true, body: 'ok' }]);
  });

  it('fills its address in, where no value leads elsewhere', async () => {
    const custom = '{"city": "São Paulo & Santos", "up": "..", "out": "/../x?y#z"}';
    await scene.rows(`update contacts set custom = '${custom}'`);
    const path = '/a/{{custom.up}}/{{custom.out}}/b?city={{custom.city}}&none={{custom.none|n/a}}';

    await runOf({ method: 'GET' }, `${receiver.origin}${path}`);

    expect(receiver.received.map((each) => each.path)).toEqual([
      '/a//%2F..%2Fx%3Fy%23z/b?city=S%C3%A3o%20Paulo%20%26%20Santos&none=n%2Fa',
    ]);
  });

  it.each([
    [
      'application/x-www-form-urlencoded',
      'city={{custom.city}}',
      'city=S%C3%A3o%20Paulo%20%26%20Santos',
    ],
    ['text/csv', '{{custom.city}};{{custom.none|-}}', 'São Paulo & Santos;-'],
    ['application/json', '["{{custom.none|x}}"]', '["x"]'],
  ])('keeps what a person wrote a value in a body of %s', async (type, body, expected) => {
    await runOf({ headers: { 'Content-Type': type }, body });

    expect(receiver.received.map((request) => request.body)).toEqual([expected]);
  });

  it('saves the beginning of the answer to the contact', async () => {
    receiver.answer = () => ({ status: 201, body: 'é'.repeat(600) });

    await runOf({ save_to: 'custom.answer' });

    const [contact] = await scene.rows<{ answer: string }>(
      "select custom ->> 'answer' as answer from contacts",
    );
    expect(contact?.answer).toBe('é'.repeat(500));
  });

  it.each([
    [{ status: 404, body: 'no' }, 404, 'no'],
    [{ status: 500 }, 500, ''],
    [{ status: 302, headers: { location: 'https://example.com/' } }, 302, ''],
    [{ status: 0 }, null, null],
  ])('takes its way for errors after %j', async (answer, status, body) => {
    receiver.answer = () => answer;

    const runId = await runOf({ on_error: 'failed' });

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded', step: 'failed' });
    expect(await scene.outputs(runId, 's')).toEqual([{ status, ok: false, body }]);
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['takes its way for errors', 'failed', { status: 'succeeded', step: 'failed' }],
    ['fails the run', null, { status: 'failed', code: 'invalid_answer' }],
  ])('%s where the contact has no room for the answer', async (_does, on_error, expected) => {
    await scene.rows(
      `update contacts set custom = (select json_object_agg('key_' || n, n) from generate_series(1, 100) n)`,
    );

    const runId = await runOf({ save_to: 'custom.answer', on_error });

    expect(await scene.run(runId)).toMatchObject(expected);
    expect(receiver.received).toHaveLength(1);
  });

  it('fails the run where its author gave no such way, and tells it once', async () => {
    receiver.answer = () => ({ status: 503 });

    const runId = await runOf({});

    expect(await errorOf(runId)).toEqual({
      step_id: 's',
      code: 'http_failed',
      message: `${new URL(receiver.origin).host} answered with the status 503.`,
    });
    expect(await scene.rows("select from facts where type = 'automation.failed'")).toHaveLength(1);
  });

  it.each([
    ['https://127.0.0.1:9/', 'is not on the public internet'],
    ['https://169.254.169.254/latest/meta-data', 'is not on the public internet'],
    ['http://10.0.0.1/', 'is not on the public internet'],
  ])('never reaches %s', async (url, words) => {
    const runId = await runOf({}, url);

    expect(await errorOf(runId)).toMatchObject({
      code: 'http_failed',
      message: expect.stringContaining(words),
    });
  });

  it('gives a server that says nothing the seconds of the step', async () => {
    const runId = await runOf({ timeout_seconds: 1 }, `http://127.0.0.1:${silence.port}/`);

    expect(await errorOf(runId)).toMatchObject({
      code: 'http_failed',
      message: `127.0.0.1:${silence.port} did not answer within 1 seconds.`,
    });
  });

  it('reads no more than it keeps of a server that never ends', async () => {
    const runId = await runOf({}, `http://127.0.0.1:${flood.port}/`);

    const [output] = (await scene.outputs(runId, 's')) as { body: string }[];
    expect(output?.body).toBe('x'.repeat(500));
  });

  it('is asked again, with the same key, by whoever comes after a process that died', async () => {
    let dies = true;
    const mortal: SafeSender = {
      ...sender,
      request: (request) => (dies ? Promise.reject(new Error('dies')) : sender.request(request)),
    };
    scene = await aRunScene(stage, { effects: { sender: mortal } });
    await expect(runOf({})).rejects.toThrow('dies');
    const [run] = await scene.rows<{ id: string }>('select id from automation_runs');
    const runId = run?.id ?? '';

    dies = false;
    await scene.advance(runId, 'workflow');
    await scene.advance(runId, 'workflow');

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `${runId}-1`,
    ]);
  });
});
