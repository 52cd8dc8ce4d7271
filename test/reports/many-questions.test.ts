import { expect, it } from '@jest/globals';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';
import { NOW } from './support/scene.ts';

const door = opened(() => openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } }));

it('of the questions of a day the fifty are kept that were asked most', async () => {
  const { ctx } = await aWorkspace(door.database, { now: NOW });
  const past = pastOf(door.database, ctx);
  const noon = '2026-11-18T15:00:00Z';
  const contactId = await past.contact(noon);
  const conversationId = await past.conversation(noon, (await aNumber(ctx)).id, contactId);
  const automationId = await past.automation('Perguntas');
  const once = Array.from({ length: 51 }, (_, n) => `Onde fica a rua ${n}?`);

  for (const [n, text] of [...once, 'Qual o horário?', 'Qual o horário?'].entries()) {
    const at = (second: number): string =>
      new Date(Date.parse(noon) + (60 * n + second) * 1_000).toISOString();
    await past.say({ conversationId, at: at(0), source: 'contact', text });
    await past.say({ conversationId, at: at(1), source: 'automation', automationId });
  }
  const control = { now: NOW, mayGoOn: () => true };
  await rollUpWorkspace(door.database, ctx.organizationId, control);

  const kept = await rowsOf(ctx, 'select question, times from report_answer_days');
  expect(kept).toHaveLength(50);
  expect(kept).toContainEqual({ question: 'qual o horario', times: 2 });
});
