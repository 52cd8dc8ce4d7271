import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownPort } from '../support/ports.ts';
import { until } from '../support/processes/child.ts';
import type { Service } from '../support/processes/processes.ts';
import { death, dies, statusOf } from './support/acts.ts';
import { invariantsHold, loggedOnce, quiet } from './support/invariants.ts';
import { type OpenChaosStage, openChaosStage } from './support/stage.ts';

let stage: OpenChaosStage;
let survivor: Service;

beforeAll(async () => {
  stage = await openChaosStage({ events: ['contact.created', 'message.sent'] });
  [survivor] = await Promise.all([stage.processes.start('api'), stage.processes.start('worker')]);
});

afterAll(() => stage?.close());

/** An API process of its own that dies at the point, of whatever changes something first. */
async function doomed(point: string): Promise<Service> {
  return stage.processes.start('api', { ...dies(point), PORT: String(await ownPort()) });
}

interface Change {
  readonly path: string;
  readonly body?: unknown;
}

/** Calls the process that dies; then the same again, with the same key, at the other one, twice. */
async function repeatElsewhere(point: string, { path, body }: Change, idempotencyKey: string) {
  const first = await doomed(point);
  const options = { idempotencyKey, ...(body === undefined ? {} : { body }) };
  await expect(stage.call(first, 'POST', path, options)).rejects.toThrow();
  await death(first);
  return {
    again: () => stage.call(survivor, 'POST', path, options),
  };
}

const contactsNamed = (name: string) =>
  stage.rows<{ id: string }>('select id from contacts where name = $1', [name]);

const announced = (contactId: string): number =>
  stage.receiver.receipts.filter(
    ({ event }) => event.type === 'contact.created' && event.data.contact_id === contactId,
  ).length;

describe('an API process killed after the commit', () => {
  it('leaves a contact that a retry with the same key finds, and whose webhook is sent once', async () => {
    const body = { name: 'Rosa Lima', phone: '+5511982900001' };
    const { again } = await repeatElsewhere(
      'after-commit',
      { path: '/contacts', body },
      'contact-1',
    );

    const retry = await again();
    const another = await again();

    expect(retry.status).toBe(201);
    expect(retry.headers.get('idempotent-replayed')).toBe('true');
    expect([another.status, another.text]).toEqual([retry.status, retry.text]);
    const contacts = await contactsNamed('Rosa Lima');
    expect(contacts).toHaveLength(1);
    const id = contacts[0]?.id ?? '';
    await until('its webhook arrives', async () => announced(id) > 0);
    await quiet(stage);
    expect(announced(id)).toBe(1);
    await loggedOnce(stage, 'contact.created', id);
  });

  it('leaves an endpoint whose secret a retry with the same key still shows', async () => {
    const body = {
      name: 'Espelho',
      url: `${stage.receiver.origin}/mirror`,
      events: ['message.received'],
    };
    const { again } = await repeatElsewhere('after-commit', { path: '/webhooks', body }, 'hook-1');

    const retry = await again();
    const another = await again();

    expect(retry.status).toBe(201);
    expect(JSON.parse(retry.text)).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    expect(another.text).toBe(retry.text);
    const named = `select id from webhook_endpoints where name = 'Espelho'`;
    expect(await stage.rows(named)).toEqual([{ id: JSON.parse(retry.text).id }]);
  });

  it('leaves a campaign that goes out by itself, to everybody once', async () => {
    const campaign = await stage.aCampaign(20);
    const path = `/campaigns/${campaign}/send`;
    const { again } = await repeatElsewhere('after-commit', { path }, 'send-1');
    const diedAt = Date.now();

    const retry = await again();
    await quiet(stage);

    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await statusOf(stage, campaign)).toBe('done');
    const accepted = await stage.processes.simulator.accepted();
    expect((accepted[0]?.t ?? Number.POSITIVE_INFINITY) - diedAt).toBeLessThan(60_000);
    await loggedOnce(stage, 'campaign.sent', campaign);
    await invariantsHold(stage, survivor, { campaigns: [campaign] });
  });
});

describe('an API process killed before the commit', () => {
  it('has done nothing, and the same key does it afterwards', async () => {
    const body = { name: 'Davi Reis', phone: '+5511982900002' };
    const { again } = await repeatElsewhere(
      'before-commit',
      { path: '/contacts', body },
      'contact-2',
    );
    expect(await contactsNamed('Davi Reis')).toEqual([]);

    const retry = await again();

    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const contacts = await contactsNamed('Davi Reis');
    expect(contacts).toHaveLength(1);
    await quiet(stage);
    expect(announced(contacts[0]?.id ?? '')).toBe(1);
  });

  it('has not begun the campaign: nothing goes out, and it still is a draft', async () => {
    const before = (await stage.processes.simulator.accepted()).length;
    const campaign = await stage.aCampaign(5);
    await repeatElsewhere('before-commit', { path: `/campaigns/${campaign}/send` }, 'send-2');

    await quiet(stage);

    expect(await statusOf(stage, campaign)).toBe('draft');
    expect(await stage.processes.simulator.accepted()).toHaveLength(before);
  });
});
