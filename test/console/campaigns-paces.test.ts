import { describe, expect, it } from '@jest/globals';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

describe('a pace that a campaign may not have', () => {
  it.each([
    ['en', /are more than the number, the target or the plan \w+ allows: at most 10\./],
    ['pt-BR', /O número, o público ou o plano permite no máximo 10 por minuto\./],
  ])('is refused at its field, with what is allowed (%s)', async (language, words) => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id: groupId } = await aGroupOf(scene.ctx, numberId);
    const written = {
      name: 'Aviso',
      number_id: numberId,
      audience: `group:${groupId}`,
      text: 'Oi',
      pace: '60',
    };

    const { owner } = scene.people;
    const { status, text } = await owner.post(
      `${scene.base}/campaigns/new`,
      { _csrf: await owner.csrf(), action: 'create', ...written },
      { 'accept-language': language },
    );

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-pace">');
    expect(text).toMatch(words);
  });
});
