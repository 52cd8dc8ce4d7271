import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { campaignRoutes } from '../../src/campaigns/routes.ts';
import { contactDeletion, contactRoutes } from '../../src/contacts/routes.ts';
import { pipelineRoutes } from '../../src/pipelines/routes.ts';
import { aShop, type Shop } from '../pipelines/support.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';

let door: OpenDoor;
let shop: Shop;
/** `first` was merged into `second`, and that one into `last`. */
let first: string;
let second: string;
let last: string;
beforeAll(async () => {
  door = await openDoor({
    routes: [...contactRoutes, contactDeletion(), ...pipelineRoutes, ...campaignRoutes],
  });
});
afterAll(() => door.close());
beforeEach(async () => {
  shop = await aShop(door);
  [first, second, last] = [
    (await aContact(shop.ctx)).id,
    (await aContact(shop.ctx)).id,
    (await aContact(shop.ctx)).id,
  ];
  for (const [into, contact_id] of [
    [second, first],
    [last, second],
  ])
    await shop.call('POST', `/contacts/${into}/merge`, { contact_id });
});

const told = ({ status, body }: Reply) => [status, body.error.code, body.error.details];

describe('the id of a contact that was merged', () => {
  it('is answered 404 with whom it became in the end', async () => {
    for (const gone of [first, second]) {
      const answers = [
        await shop.call('GET', `/contacts/${gone}`),
        await shop.call('PATCH', `/contacts/${gone}`, { name: 'Ana' }),
        await shop.call('DELETE', `/contacts/${gone}`),
        await shop.call('POST', `/contacts/${gone}/merge`, { contact_id: last }),
      ];

      for (const answer of answers)
        expect(told(answer)).toEqual([404, 'not_found', { merged_into: last }]);
    }
  });

  it('is answered 422 where a body names it', async () => {
    const deal = await shop.call('POST', '/deals', {
      stage_id: shop.stage('Novo'),
      contact_id: first,
    });
    const again = await shop.call('POST', `/contacts/${last}/merge`, { contact_id: first });

    for (const answer of [deal, again])
      expect(told(answer)).toEqual([
        422,
        'unknown_contact',
        { contact_id: first, merged_into: last },
      ]);
  });

  it('leads from each of several ids to its own', async () => {
    const { id: number_id } = await aNumber(shop.ctx);
    const { id: deleted } = await aContact(shop.ctx);
    await shop.call('DELETE', `/contacts/${deleted}`);
    const draft = (contact_ids: string[]) =>
      shop.call('POST', '/campaigns', {
        name: 'Páscoa',
        number_id,
        target: 'contacts',
        text: 'Oi',
        pace: 10,
        contact_ids,
      });

    const merged = await draft([first, last, deleted]);
    const unknown = await draft([deleted]);

    expect(merged.body.error.details).toEqual({
      contact_ids: expect.arrayContaining([first, deleted]),
      merged_into: { [first]: last },
    });
    expect(unknown.body.error.details).toEqual({ contact_ids: [deleted] });
  });

  it('leads nowhere once the one it became is deleted', async () => {
    await shop.call('DELETE', `/contacts/${last}`);

    const answer = await shop.call('GET', `/contacts/${first}`);

    expect(told(answer)).toEqual([404, 'not_found', undefined]);
  });

  it('leads nowhere for another workspace, or for a token that may not read contacts', async () => {
    const other = await aShop(door);
    const blind = await anApiKey(shop.ctx, ['contacts:write', 'pipelines:write']);
    const through = await aMember(shop.ctx, { role: 'admin', scopes: ['contacts:write'] });
    const seeing = await aMember(shop.ctx, { visibility: 'assigned' });
    const deal = { stage_id: shop.stage('Novo'), contact_id: first };

    const answers = [
      await other.call('GET', `/contacts/${first}`),
      await shop.call('PATCH', `/contacts/${first}`, { name: 'Ana' }, blind.key),
      await shop.call('PATCH', `/contacts/${first}`, { name: 'Ana' }, through.token),
      await shop.call('POST', '/deals', deal, blind.key),
      await shop.call('PATCH', `/contacts/${first}`, { name: 'Ana' }, seeing.token),
    ];

    expect(answers.map(told)).toEqual([
      [404, 'not_found', undefined],
      [404, 'not_found', undefined],
      [404, 'not_found', undefined],
      [422, 'unknown_contact', { contact_id: first }],
      [404, 'not_found', { merged_into: last }],
    ]);
  });
});
