import { expect, it } from '@jest/globals';
import { anAutomation } from '../support/factories/automations.ts';
import { opened } from '../support/opened.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it.each([
  ['en', 'line 3', 'Must be a duration of at most 400 days'],
  ['pt-BR', 'linha 3', 'Use uma duração ISO 8601'],
])('a simulation says in %s on which line an answer is wrong', async (language, line, why) => {
  const { viewer } = scene.people;
  const { id } = await anAutomation(scene.ctx, { name: `Linhas ${language}` });
  const address = `${scene.base}/automations/${id}/simulate`;
  const shown = formIn((await viewer.get(address)).text, 'simulate');

  const wrong = { ...shown, replies: 'sim\n\nP900D oi' };
  const { status, text } = await viewer.post(address, wrong, { 'accept-language': language });

  const problem = `<code>${line}</code>: ${why}`;
  expect(status).toBe(422);
  expect(text).toContain(`id="f-replies-error">${problem}`);
  expect(text).toMatch(new RegExp(`<a href="#f-replies">[^<]+: ${problem}`));
});
