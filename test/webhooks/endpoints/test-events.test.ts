import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { webhookEvents } from '../../../src/outbox/events.ts';
import { claimDue } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { opened } from '../../support/opened.ts';
import { anEndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(() => openWebhookDoor({ wake: (what) => void wakes.push(what) }));
const wakes: unknown[] = [];

const scene = () => anEndpointScene(door);

interface Stored {
  readonly status: string;
  readonly in_backlog: boolean;
  readonly held: boolean;
  readonly due: boolean;
}

const STORED = `
  select status, in_backlog, held_at is not null as held, lease_until <= now() as due from webhook_deliveries
  where endpoint_id = $1`;

describe('a test event', () => {
  it('is a pending delivery of the endpoint’s first event, due at once, and answers 201', async () => {
    const { call, id, rows, log } = await scene();
    wakes.length = 0;

    const sent = await call('POST', '/test');

    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      id: expect.stringMatching(/^dlv_[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      webhook_id: id,
      event_id: expect.stringMatching(/^evt_/),
      type: 'message.sent',
      status: 'pending',
      code: null,
      duration_ms: null,
      attempts: 0,
      next_attempt_at: null,
      response: null,
      error: null,
      created_at: expect.stringMatching(/Z$/),
      finished_at: null,
    });
    expect(await rows<Stored>(STORED)).toEqual([
      { status: 'pending', in_backlog: false, held: false, due: true },
    ]);
    expect(wakes).toEqual(['deliveries']);
    expect(await log()).toEqual(['webhook.tested']);
  });

  it('is taken by the lane like any other, with the body that the record shows', async () => {
    const { call, id, workspaceId } = await scene();
    const { body } = await call('POST', '/test');

    const taken = await claimDue(sqlOver(door.database.system), { token: 'tests', full: [] }, 100);

    const mine = taken.find((attempt) => attempt.id === body.id);
    const shown = await call('GET', `/deliveries/${body.id}`);
    expect(mine).toMatchObject({ endpointId: id, organizationId: workspaceId });
    expect([mine?.eventId, mine?.body]).toEqual([body.event_id, shown.body.body]);
  });

  it.each(['message.sent', 'contact.created'] as const)(
    'of %s is an envelope with example data of that type and the common ids',
    async (type) => {
      const { call, workspaceId } = await scene();
      const { body } = await call('POST', '/test', { type });

      const shown = await call('GET', `/deliveries/${body.id}`);

      const envelope = JSON.parse(shown.body.body);
      expect(Object.keys(envelope)).toEqual([
        ...['id', 'type', 'version', 'timestamp', 'organization_id', 'data'],
      ]);
      expect(envelope).toMatchObject({
        id: body.event_id,
        type,
        version: 1,
        organization_id: workspaceId,
      });
      expect(webhookEvents[type].parse(envelope.data)).toHaveProperty('contact_id');
    },
  );

  it('goes to nobody else who gets events of this type', async () => {
    const { call, key, id, rows } = await scene();
    await door.api.call('POST', '/api/v1/webhooks', {
      key,
      body: { name: 'Other', url: 'https://other.example.com/', events: ['message.sent'] },
    });

    await call('POST', '/test');

    expect(
      await rows('select endpoint_id from webhook_deliveries where $1 <> endpoint_id'),
    ).toEqual([]);
    expect(await rows("select type from facts where is_event and $1 <> ''")).toEqual([]);
    expect((await call('GET', '/deliveries')).body.data).toMatchObject([{ webhook_id: id }]);
  });

  it('is held while the endpoint is paused', async () => {
    const { call, rows } = await scene();
    await call('POST', '/pause');

    const sent = await call('POST', '/test');

    expect([sent.status, sent.body.status]).toEqual([201, 'held']);
    expect(await rows<Stored>(STORED)).toEqual([
      { status: 'held', in_backlog: true, held: true, due: true },
    ]);
  });

  it('of a type that the endpoint does not get is refused, and says which it gets', async () => {
    const { call, rows } = await scene();

    const other = await call('POST', '/test', { type: 'stage.changed' });
    const unknown = await call('POST', '/test', { type: 'message.flown' });

    expect(other.status).toBe(422);
    expect(other.body.error.details).toMatchObject([
      { path: 'type', rule: 'not_subscribed', allowed: ['message.sent', 'contact.created'] },
    ]);
    expect(unknown.body.error.details).toMatchObject([{ path: 'type', rule: 'enum' }]);
    expect(await rows('select from webhook_deliveries where endpoint_id = $1')).toEqual([]);
  });

  it('is told apart from every other by its id, however fast they follow', async () => {
    const { call, workspaceId } = await scene();

    await Promise.all(Array.from({ length: 8 }, () => call('POST', '/test')));

    const events = await inWorkspace(door.database, workspaceId, (sql) =>
      sql.rows('select distinct event_id from webhook_deliveries'),
    );
    expect(events).toHaveLength(8);
  });
});
