import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { profileAnswer } from '../../src/gateway/cloud-api/account-wire.ts';
import { graphError } from '../../src/gateway/cloud-api/wire.ts';
import { openSimulatorStage, type SimulatorStage } from './support/stage.ts';

let stage: SimulatorStage;
beforeEach(async () => {
  stage = await openSimulatorStage();
});
afterEach(() => stage.close());

const ACCOUNT = '100000000000001';
const APP = '200000000000001';
const FIELDS = '?fields=display_phone_number,health_status';

const ask = async (method: string, path: string, token = 'any') => {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const answer = await fetch(`${stage.simulator.url}/v23.0/${path}`, { method, headers });
  return { status: answer.status, body: (await answer.json()) as { data?: unknown } };
};
const codeOf = (body: unknown) => graphError.parse(body).error;

describe('a number of the simulator', () => {
  it('has the digits of its phone as its id, and belongs to the one account', async () => {
    const { status, body } = await ask('GET', `5511987654321${FIELDS}`);

    const { display_phone_number, health_status } = profileAnswer.parse(body);
    expect([status, display_phone_number]).toEqual([200, '+5511987654321']);
    expect(health_status.entities).toContainEqual(
      expect.objectContaining({ entity_type: 'WABA', id: ACCOUNT }),
    );
    expect(health_status.entities).toContainEqual(
      expect.objectContaining({ entity_type: 'APP', id: APP }),
    );
  });

  it('is not shown without a token, nor where its id is no phone, nor after its connection ended', async () => {
    const withoutToken = await ask('GET', `5511987654321${FIELDS}`, '');
    const unknown = await ask('GET', `1234${FIELDS}`);
    await stage.send('5511980900007', 'key', '5511987654321');
    const disconnected = await ask('GET', `5511987654321${FIELDS}`);

    expect([withoutToken.status, codeOf(withoutToken.body).code]).toEqual([401, 190]);
    expect(codeOf(unknown.body)).toMatchObject({ code: 100, error_subcode: 33 });
    expect(codeOf(disconnected.body).code).toBe(190);
  });

  it('is refused with the code that its last seven digits name', async () => {
    const { status, body } = await ask('GET', `5511980000200${FIELDS}`);

    expect([status, codeOf(body).code]).toEqual([403, 200]);
  });
});

describe('the account of the simulator', () => {
  const path = `${ACCOUNT}/subscribed_apps`;

  it('lists the app once it is subscribed, which it may be again', async () => {
    expect((await ask('GET', path)).body).toEqual({ data: [] });
    for (const _time of ['first', 'again'])
      expect((await ask('POST', path)).body).toEqual({ success: true });
    const { data } = (await ask('GET', path)).body;
    expect(data).toEqual([{ whatsapp_business_api_data: expect.objectContaining({ id: APP }) }]);
  });

  it('is refused without a token, as is any other account', async () => {
    const withoutToken = await ask('POST', path, '');
    const other = await ask('POST', '102290129340398/subscribed_apps');

    expect([withoutToken.status, codeOf(withoutToken.body).code]).toEqual([401, 190]);
    expect(codeOf(other.body)).toMatchObject({ code: 100, error_subcode: 33 });
  });
});
