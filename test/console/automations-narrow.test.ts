import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { anAutomation } from '../support/factories/automations.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

it('whoever sees less than the workspace writes an automation, and reads that others activate it', async () => {
  const { id: memberId } = await aMember(scene.ctx, { role: 'admin', visibility: 'assigned' });
  const narrow = await scene.visitor(memberId);
  const { id } = await anAutomation(scene.ctx, { name: 'Alheia' });
  const address = `${scene.base}/automations/${id}`;
  const steps = [{ id: 'end', type: 'end' }];
  const definition = JSON.stringify({ trigger: { type: 'manual' }, steps });
  const form = { name: 'Alheia', description: 'Escrita', definition };

  const { text } = await narrow.get(address);
  expect(text).toContain('let somebody who sees the whole workspace activate it');
  expect(text).not.toContain('value="activate"');
  const refused = await narrow.send(address, 'activate', form);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('Only somebody who sees the whole workspace may activate it.');
  expect(refused.text).toContain('value="Escrita"');
  expect((await narrow.send(address, 'save', form)).status).toBe(303);
  expect(
    await rowsOf(scene.ctx, 'select status, description from automations where id = $1', [id]),
  ).toEqual([{ status: 'draft', description: 'Escrita' }]);
});
