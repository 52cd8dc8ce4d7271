import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getContact, updateContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { filledIn } from './support/filled-in.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

it('adds and takes out tags one by one, whatever stands in them and whoever else does', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { tags: ['bolo, sem leite', 'vip'] });
  const address = `${scene.base}/contacts/${id}`;
  const contact = () =>
    inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      getContact({ ...scene.ctx, sql }, id),
    );
  const shown = filledIn((await agent.get(address)).text, 'save');
  expect(shown['tags']).toBe('bolo, sem leite\nvip');
  await updateContact(scene.ctx, id, { tags: ['bolo, sem leite', 'vip', 'natal'] });

  const saved = await agent.send(address, 'save', {
    ...shown,
    tags: 'bolo, sem leite\r\n  praia  \r\n',
  });

  expect(saved.status).toBe(303);
  expect((await contact()).tags).toEqual(['bolo, sem leite', 'natal', 'praia']);
});
