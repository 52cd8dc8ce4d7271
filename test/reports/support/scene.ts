import type { Context } from '../../../src/context.ts';
import { reportRoutes } from '../../../src/reports/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import { pastOf } from './days.ts';

export const NOW = new Date('2026-11-21T15:00:00Z');

export interface ReportScene {
  readonly door: OpenDoor;
  readonly ctx: Context;
  readonly key: string;
  readonly numberId: string;
  readonly silentId: string;
  readonly automationId: string;
  readonly campaignId: string;
  close(): Promise<void>;
}

const ai = { type: 'ai', id: null, name: 'AI' };
const ana = { type: 'member', id: 'mem_ana', name: 'Ana' };

/** A workspace in which something happened on the 19th, the 20th and the 21st, in São Paulo. */
export async function openReportScene(): Promise<ReportScene> {
  const door = await openDoor({ routes: reportRoutes, clock: { now: () => NOW, skewMs: 0 } });
  const { ctx } = await aWorkspace(door.database, { now: NOW });
  const { key } = await anApiKey(ctx, ['automations:read', 'numbers:read']);
  const numberId = (await aNumber(ctx)).id;
  const silentId = (await aNumber(ctx, { name: 'Suporte' })).id;
  const past = pastOf(door.database, ctx);
  const automationId = await past.automation('Boas-vindas');
  const campaignId = 'cmp_01JD8B6V0R5Q9T3XK2M7N4P1WZ';

  // Asked, answered by the AI, ended without anybody of the team.
  const bia = await past.contact('2026-11-19T12:00:00Z', 'campaign');
  const alone = await past.conversation('2026-11-19T12:00:00Z', numberId, bia, {
    closedAt: '2026-11-20T12:00:00Z',
  });
  await past.say({
    conversationId: alone,
    at: '2026-11-19T12:00:00Z',
    source: 'contact',
    text: 'Qual o horário?',
  });
  await past.say({
    conversationId: alone,
    at: '2026-11-19T12:00:04Z',
    source: 'automation',
    author: ai,
    automationId,
  });
  await past.say({
    conversationId: alone,
    at: '2026-11-20T12:00:00Z',
    source: 'contact',
    text: 'qual o horario',
  });
  await past.say({
    conversationId: alone,
    at: '2026-11-20T12:00:02Z',
    source: 'automation',
    author: ai,
    automationId,
    status: 'read',
  });

  // Begun by the automation, taken over by a member.
  const caio = await past.contact('2026-11-20T13:00:00Z');
  const handed = await past.conversation('2026-11-20T13:00:00Z', numberId, caio);
  await past.say({
    conversationId: handed,
    at: '2026-11-20T13:00:00Z',
    source: 'automation',
    automationId,
  });
  await past.say({
    conversationId: handed,
    at: '2026-11-20T13:05:00Z',
    source: 'member',
    author: ana,
  });
  await past.say({
    conversationId: handed,
    at: '2026-11-20T13:07:00Z',
    source: 'member',
    author: ana,
    status: 'sent',
  });
  await past.say({ conversationId: handed, at: '2026-11-20T13:08:00Z', source: 'phone' });

  // A campaign that reached one of four; and what was never on its way.
  const dora = await past.contact('2026-11-21T10:00:00Z', 'import');
  const sent = await past.conversation('2026-11-21T10:00:00Z', numberId, dora);
  await past.say({
    conversationId: sent,
    at: '2026-11-21T10:00:00Z',
    source: 'campaign',
    campaignId,
  });
  await past.say({
    conversationId: sent,
    at: '2026-11-21T10:00:01Z',
    source: 'campaign',
    campaignId,
    status: 'failed',
    reason: 'no_whatsapp',
  });
  await past.say({
    conversationId: sent,
    at: '2026-11-21T10:00:02Z',
    source: 'campaign',
    campaignId,
    status: 'failed',
    reason: 'policy',
  });
  await past.say({
    conversationId: sent,
    at: '2026-11-21T10:00:03Z',
    source: 'campaign',
    campaignId,
    status: 'unconfirmed',
  });
  await past.say({
    conversationId: sent,
    at: '2026-11-21T10:00:04Z',
    source: 'api',
    status: 'queued',
  });

  await past.run(automationId, '2026-11-20T13:00:00Z', {
    status: 'handed_over',
    conversationId: handed,
    finishedAt: '2026-11-20T13:05:00Z',
  });
  await past.run(automationId, '2026-11-20T14:00:00Z', {
    status: 'succeeded',
    finishedAt: '2026-11-20T14:01:00Z',
  });
  await past.run(automationId, '2026-11-20T15:00:00Z', {
    status: 'failed',
    finishedAt: '2026-11-20T15:01:00Z',
  });
  await past.run(automationId, '2026-11-21T11:00:00Z', { status: 'waiting' });
  return { door, close: door.close, ctx, key, numberId, silentId, automationId, campaignId };
}
