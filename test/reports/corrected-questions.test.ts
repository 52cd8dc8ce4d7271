import { expect, it } from '@jest/globals';
import { reportRoutes } from '../../src/reports/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { pastOf } from './support/days.ts';
import { NOW } from './support/scene.ts';

const door = opened(() => openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } }));

it('an answer is to what was asked, however it was corrected meanwhile, and a correction asks nothing', async () => {
  const { ctx } = await aWorkspace(door.database, { now: NOW });
  const { key } = await anApiKey(ctx, ['automations:read', 'numbers:read']);
  const past = pastOf(door.database, ctx);
  const automationId = await past.automation('Horários');
  const contactId = await past.contact('2026-11-19T12:00:00Z');
  const numberId = (await aNumber(ctx)).id;
  const conversationId = await past.conversation('2026-11-19T12:00:00Z', numberId, contactId);
  const answer = {
    source: 'automation',
    author: { type: 'ai', id: null, name: 'AI' },
    automationId,
  } as const;
  const asked = { source: 'contact', text: 'Qual o horário?' } as const;
  const said = [
    { at: '12:00:00', ...asked },
    { at: '12:00:02', ...asked, type: 'edit', text: 'Qual o horário hoje?' },
    { at: '12:00:03', ...asked, type: 'reaction', text: '' },
    { at: '12:00:04', ...answer },
    { at: '12:00:08', ...asked, type: 'edit' },
    { at: '12:00:09', ...answer },
  ];
  for (const { at, ...one } of said)
    await past.say({ ...one, conversationId, at: `2026-11-19T${at}Z` });

  const { body } = await door.api.call('GET', '/api/v1/reports/automation?period=7d', { key });

  expect(body).toMatchObject({
    ai_seconds: 4,
    questions: [{ text: 'qual o horario', count: 1 }],
  });
});
