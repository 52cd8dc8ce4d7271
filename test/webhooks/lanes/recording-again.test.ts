import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../../src/net/sender.ts';
import { cancelDelivery } from '../../../src/webhooks/lanes/retries/retries.ts';
import { updateEndpoint } from '../../../src/webhooks/service.ts';
import { opened } from '../../support/opened.ts';
import { asOwner } from '../events/support/refusing.ts';
import { openRetryStage, RETRYING } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

describe('a request that was made', () => {
  const refusing = (sqlstate: string): string => `
    create function refuse_attempts() returns trigger language plpgsql as $$ begin
      if new.response is not null or '${sqlstate}' = '40P01' then raise 'refused' using errcode = '${sqlstate}'; end if;
      return new;
    end $$;
    create trigger refused before insert on webhook_attempts for each row execute function refuse_attempts()`;
  const NO_MORE = 'drop trigger refused on webhook_attempts; drop function refuse_attempts';

  it('is not made again because it could not be recorded at once', async () => {
    const { attempt, stored } = await stage.scene(1, RETRYING);
    stage.receiver.answer = async () => {
      await asOwner(stage.database.url, refusing('40P01'));
      setTimeout(() => void asOwner(stage.database.url, NO_MORE), 600);
      return { status: 500 };
    };

    expect(await attempt()).toMatchObject({ next: 'wait', attempts: 2 });

    expect(stage.receiver.received).toHaveLength(1);
    expect(await stored()).toMatchObject({ attempts: 2, code: 500, lease_token: null });
  });

  it('stays delivered when its workflow is cancelled after that', async () => {
    const { ctx, first, attempt, stored } = await stage.scene(1, RETRYING);
    stage.receiver.answer = () => ({ status: 200 });
    expect(await attempt()).toMatchObject({ next: 'end', status: 'succeeded' });

    await cancelDelivery(ctx(), first.deliveryId);

    expect(await stored()).toMatchObject({ status: 'succeeded', error: null });
  });

  it('is recorded without what the database cannot store', async () => {
    const { attempt, stored } = await stage.scene(1, RETRYING);
    stage.receiver.answer = () => ({ status: 500, body: 'no' });
    await asOwner(stage.database.url, refusing('22021'));

    const [step] = await Promise.allSettled([attempt()]);
    await asOwner(stage.database.url, NO_MORE);

    expect(step).toMatchObject({ value: { next: 'wait', attempts: 2 } });
    expect(stage.receiver.received).toHaveLength(1);
    expect(await stored()).toMatchObject({ attempts: 2, code: 500, response: null });
  });

  it('is not made again while it is under way, by whoever looks', async () => {
    const { attempt, stored } = await stage.scene(1, RETRYING);
    let second: unknown;
    stage.receiver.answer = async () => {
      second ??= await attempt().catch((error: unknown) => error);
      return { status: 204 };
    };

    expect(await attempt()).toMatchObject({ next: 'end', status: 'succeeded' });

    // As the activity fails, Temporal tries it again.
    expect(second).toMatchObject({ code: 'unavailable' });
    expect(stage.receiver.received).toHaveLength(1);
    expect(await stored()).toMatchObject({ status: 'succeeded', attempts: 2 });
  });

  it('is not handed over while it is under way, though its endpoint has come to fail', async () => {
    const { attempt, stored, rows } = await stage.scene(2, RETRYING);
    let second: unknown;
    stage.receiver.answer = async () => {
      await rows('update webhook_endpoints set failures_in_row = 20 where id = $1');
      second ??= await attempt().catch((error: unknown) => error);
      return { status: 500 };
    };

    expect(await attempt()).toMatchObject({ next: 'end', status: 'retrying' });

    expect(second).toMatchObject({ code: 'unavailable' });
    // Its record hands it over, with the time of its next attempt.
    expect(await stored()).toMatchObject({
      attempts: 2,
      in_backlog: true,
      lease_token: null,
      lease_until: expect.any(Date),
    });
  });

  it('strands nothing if its lease was over and the delivery handed over', async () => {
    const { attempt, stored, rows } = await stage.scene(2, RETRYING);
    let second: unknown;
    stage.receiver.answer = async () => {
      await rows('update webhook_endpoints set failures_in_row = 20 where id = $1');
      await rows('update webhook_deliveries set lease_until = now() where endpoint_id = $1');
      second ??= await attempt();
      return { status: 500 };
    };

    await attempt();

    expect(second).toMatchObject({ next: 'end', status: 'retrying' });
    expect(await stored()).toMatchObject({
      attempts: 1,
      in_backlog: true,
      lease_token: null,
      lease_until: expect.any(Date),
    });
  });

  it('hands nothing over if its lease was over and another one is under way', async () => {
    const { attempt, stored, rows } = await stage.scene(2, RETRYING);
    const arrived = Promise.withResolvers<void>();
    const recorded = Promise.withResolvers<void>();
    let second: Promise<unknown> | undefined;
    stage.receiver.answer = async () => {
      if (second) {
        arrived.resolve();
        await recorded.promise;
        return { status: 500 };
      }
      await rows('update webhook_deliveries set lease_until = now() where endpoint_id = $1');
      second = attempt();
      await arrived.promise;
      await rows('update webhook_endpoints set failures_in_row = 20 where id = $1');
      return { status: 500 };
    };

    await attempt();
    expect(await stored()).toMatchObject({ owned_by_workflow: true, in_backlog: false });
    recorded.resolve();

    expect(await second).toMatchObject({ next: 'end', status: 'retrying' });
    expect(await stored()).toMatchObject({
      attempts: 2,
      in_backlog: true,
      lease_until: expect.any(Date),
    });
  });
});

describe('an attempt that is blocked', () => {
  it('counts neither as a failure of its endpoint nor as a success', async () => {
    const { ctx, endpointId, rows, attempt } = await stage.scene(1, RETRYING);
    const nowhere = createSafeSender({
      trustedOrigins: [],
      resolve: async () => ({ kind: 'none' }),
    });
    await updateEndpoint(ctx(), endpointId, { url: 'https://shop.com/' }, { trustedOrigins: [] });
    await rows('update webhook_endpoints set failures_in_row = 1 where id = $1');

    expect(await attempt(nowhere)).toMatchObject({ next: 'end', status: 'blocked' });

    await nowhere.close();
    expect(await rows('select failures_in_row from webhook_endpoints where id = $1')).toEqual([
      { failures_in_row: 1 },
    ]);
  });
});

describe('an attempt that our own trouble held up', () => {
  it('takes nothing from the one that was begun when its lease was over', async () => {
    const down = { kind: 'unavailable', reason: 'ETIMEOUT' } as const;
    const { ctx, endpointId, rows, attempt, stored } = await stage.scene(1, RETRYING);
    await updateEndpoint(ctx(), endpointId, { url: 'https://shop.com/' }, { trustedOrigins: [] });
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const later = createSafeSender({
      trustedOrigins: [],
      resolve: async () => {
        begun.resolve();
        await over.promise;
        return down;
      },
    });
    let second: Promise<unknown> | undefined;
    const first = createSafeSender({
      trustedOrigins: [],
      resolve: async () => {
        await rows('update webhook_deliveries set lease_until = now() where endpoint_id = $1');
        second = attempt(later);
        await begun.promise;
        return down;
      },
    });

    await attempt(first);

    expect(await stored()).toMatchObject({ lease_token: expect.any(String) });
    over.resolve();
    await second;
    await Promise.all([first.close(), later.close()]);
  });
});
