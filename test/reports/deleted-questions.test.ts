import { expect, it } from '@jest/globals';
import { contactDeletion } from '../../src/contacts/routes.ts';
import { keepFiguresOf } from '../../src/reports/deleted-contacts.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';
import { NOW } from './support/scene.ts';

const door = opened(() =>
  openDoor({
    routes: [...reportRoutes, contactDeletion(keepFiguresOf)],
    clock: { now: () => NOW, skewMs: 0 },
  }),
);

it('what only a deleted person asked is in no day any more, and what others asked stays counted', async () => {
  const { ctx } = await aWorkspace(door.database, { now: NOW });
  const { key } = await anApiKey(ctx);
  const past = pastOf(door.database, ctx);
  const automationId = await past.automation('Resultados');
  const numberId = (await aNumber(ctx)).id;
  // Midnight of São Paulo is at three: what is asked before counts on the day before.
  const aPerson = async (...asked: [minute: string, text: string][]): Promise<string> => {
    const contactId = await past.contact('2026-11-01T02:00:00Z');
    const conversationId = await past.conversation('2026-11-01T02:00:00Z', numberId, contactId);
    for (const [minute, text] of asked) {
      const at = (second: string): string => `2026-11-01T${minute}:${second}Z`;
      await past.say({ conversationId, at: at('00'), source: 'contact', text });
      await past.say({ conversationId, at: at('01'), source: 'automation', automationId });
    }
    return contactId;
  };
  const own = 'Onde vejo o exame da Maria Souza?';
  const common = 'Qual o horário?';
  const gone = await aPerson(['02:59', own], ['03:01', own], ['03:02', own], ['03:03', common]);
  await aPerson(['03:04', common]);
  const { organizationId } = ctx;
  await rollUpWorkspace(door.database, organizationId, { now: NOW, mayGoOn: () => true });
  const written = () =>
    rowsOf(
      ctx,
      `select day, question, times from report_answer_days where question <> '' order by 1, 2`,
    );
  const kept = { day: '2026-11-01', question: 'qual o horario', times: 2 };
  const asked = 'onde vejo o exame da maria souza';
  expect(await written()).toEqual([
    { day: '2026-10-31', question: asked, times: 1 },
    { day: '2026-11-01', question: asked, times: 2 },
    kept,
  ]);

  const deleted = await door.api.call('DELETE', `/api/v1/contacts/${gone}`, { key });

  expect([deleted.status, await written()]).toEqual([200, [kept]]);
});
