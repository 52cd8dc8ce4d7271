import { describe, expect, it } from '@jest/globals';
import { transact } from '../../../src/db/transact.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { failingEndpoints } from '../../../src/webhooks/service.ts';
import { opened } from '../../support/opened.ts';
import { BLOCKED, FAILED, SUCCEEDED } from '../support/ended.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(openWebhookDoor);

const failing = ({ ctx }: EndpointScene) => transact(ctx, failingEndpoints);

describe('an endpoint whose last delivery was blocked', () => {
  it('is told of although others arrived before, until one arrives after it', async () => {
    const scene = await anEndpointScene(door);
    await scene.deliveries(1, SUCCEEDED);
    await scene.deliveries(1, BLOCKED);
    expect(await failing(scene)).toMatchObject([
      { id: scene.id, trouble: 'blocked', code: null, error: 'dns' },
    ]);

    await scene.deliveries(1, SUCCEEDED);

    expect(await failing(scene)).toEqual([]);
  });
});

describe('an endpoint that fails', () => {
  it.each(['expired', 'cancelled_by_operator'])(
    'is not told of by how its last delivery was ended: %s',
    async (error) => {
      const scene = await anEndpointScene(door);
      await scene.rows('update webhook_endpoints set failures_in_row = 5 where id = $1');
      await scene.deliveries(1, FAILED.replace("'status', code = 500", `'${error}', code = null`));

      expect(await failing(scene)).toMatchObject([{ trouble: 'unanswered', error: null }]);
    },
  );

  it('is not told of while it is paused', async () => {
    const scene = await anEndpointScene(door);
    await scene.rows('update webhook_endpoints set failures_in_row = 5 where id = $1');
    await scene.deliveries(1, FAILED);
    expect(await failing(scene)).toHaveLength(1);

    await pauseEndpoint(scene.ctx, scene.id);

    expect(await failing(scene)).toEqual([]);
  });
});
