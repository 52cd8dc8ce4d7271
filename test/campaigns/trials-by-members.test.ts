import { expect, it } from '@jest/globals';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aCampaignScene, openCampaignDoor } from './support/door.ts';

const door = opened(openCampaignDoor);

it('a test is said by the member who makes it, and by the API for a key', async () => {
  const scene = await aCampaignScene(door);
  const test = `/campaigns/${await scene.created({ text: 'Oi' })}/test`;
  const body = { phone: '+5511987654322' };
  const { token } = await aMember(scene.ctx, { role: 'admin' });

  await door.api.call('POST', `/api/v1${test}`, { key: token, body });
  await scene.call('POST', test, body);

  expect(await rowsOf(scene.ctx, 'select source from messages order by id', [])).toEqual([
    { source: 'member' },
    { source: 'api' },
  ]);
});
