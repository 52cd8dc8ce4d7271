import { expect, it } from '@jest/globals';
import { anAutomation } from '../support/factories/automations.ts';
import { opened } from '../support/opened.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it.each([
  ['is written', 'create'],
  ['is saved', 'save'],
])(
  'says of a taken name that it is taken, at its field, where an automation %s',
  async (_, action) => {
    const { admin } = scene.people;
    const name = `Primeira: ${action}`;
    await anAutomation(scene.ctx, { name });
    const { id } = await anAutomation(scene.ctx, { name: `Segunda: ${action}` });
    const address = `${scene.base}/automations/${action === 'create' ? 'new' : id}`;
    const form = formIn((await admin.get(address)).text, action);

    const { status, text } = await admin.post(address, { ...form, name });

    expect([status, text.includes('<a href="#f-name">')]).toEqual([409, true]);
    expect(text).toContain('id="f-name-error">Another automation has this name.<');
  },
);

it('says what keeps it from being activated also of a step that is called as a field of the form', async () => {
  const { admin } = scene.people;
  const { id } = await anAutomation(scene.ctx, {
    name: 'Em círculo',
    steps: [{ id: 'name', type: 'send_message', text: 'Oi', next: 'name' }],
  });
  const address = `${scene.base}/automations/${id}`;
  const form = formIn((await admin.get(address)).text, 'save');

  const { status, text } = await admin.post(address, { ...form, action: ['save', 'activate'] });

  expect(status).toBe(422);
  expect(text).toMatch(/<code>name<\/code>: [A-Z]/);
});

it('takes out a description that was emptied', async () => {
  const { admin } = scene.people;
  const { id } = await anAutomation(scene.ctx, { name: 'Descrita' });
  const address = `${scene.base}/automations/${id}`;
  const described = async (description: string): Promise<Fields> => {
    const form = formIn((await admin.get(address)).text, 'save');
    expect((await admin.post(address, { ...form, description })).status).toBe(303);
    return formIn((await admin.get(address)).text, 'save');
  };

  expect(await described('Responde à noite.')).toMatchObject({ description: 'Responde à noite.' });
  expect(await described('')).toMatchObject({ description: '' });
});
