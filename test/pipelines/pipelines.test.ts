import { beforeEach, describe, expect, it } from '@jest/globals';
import { permissionsOf, type Role } from '../../src/access/roles.ts';
import { createContext } from '../../src/db/contexts.ts';
import { inWorkspace } from '../../src/db/database.ts';
import {
  addStage,
  createPipeline,
  moveStage,
  removeStage,
  renamePipeline,
  renameStage,
} from '../../src/pipelines/managing.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';
import { aShop, openPipelineDoor, type Shop } from './support.ts';

let shop: Shop;

const door = opened(openPipelineDoor);
beforeEach(async () => {
  shop = await aShop(door);
});

type Shown = Awaited<ReturnType<typeof createPipeline>>;
const order = ({ stages }: Shown): string[] =>
  stages.map(({ name, position }) => `${position} ${name}`);

describe('pipelines', () => {
  it('are listed in the specification’s words, newest first, their stages by position', async () => {
    const newer = await aPipeline(shop.ctx, 'Encomendas', 'Pedido:open Pronto:won');

    const page = await shop.call('GET', '/pipelines?limit=1');
    const next = await shop.call('GET', `/pipelines?limit=1&cursor=${page.body.next_cursor}`);
    const one = await shop.call('GET', `/pipelines/${newer.id}`);

    expect(page.body.data).toEqual([
      {
        id: newer.id,
        name: 'Encomendas',
        created_at: shop.ctx.now.toISOString(),
        stages: [
          { id: newer.stages['Pedido'], name: 'Pedido', kind: 'open', position: 0 },
          { id: newer.stages['Pronto'], name: 'Pronto', kind: 'won', position: 1 },
        ],
      },
    ]);
    expect(one.body).toEqual(page.body.data[0]);
    expect(next.body).toMatchObject({ data: [{ id: shop.pipeline.id }], next_cursor: null });
  });
});

describe('arranging a pipeline', () => {
  it('keeps places dense whatever is added, moved and removed', async () => {
    const added = await addStage(shop.ctx, shop.pipeline.id, { name: 'Visita', kind: 'open' });
    const moved = await moveStage(shop.ctx, shop.stage('Proposta'), 0);
    const removed = await removeStage(shop.ctx, shop.stage('Novo'));
    const renamed = await renameStage(shop.ctx, shop.stage('Ganho'), 'Vendido');

    expect(order(added)).toEqual(['0 Novo', '1 Proposta', '2 Visita', '3 Ganho', '4 Perdido']);
    expect(order(moved)).toEqual(['0 Proposta', '1 Novo', '2 Visita', '3 Ganho', '4 Perdido']);
    expect(order(removed)).toEqual(['0 Proposta', '1 Visita', '2 Ganho', '3 Perdido']);
    expect(order(renamed)).toEqual(['0 Proposta', '1 Visita', '2 Vendido', '3 Perdido']);
    expect(await shop.entries(shop.pipeline.id)).toEqual([
      'pipeline.created',
      ...Array(4).fill('pipeline.stages_changed'),
    ]);
  });

  it('keeps its rules: an open stage stays, and what ends a deal comes after all open ones', async () => {
    const refused = [
      moveStage(shop.ctx, shop.stage('Ganho'), 0),
      moveStage(shop.ctx, shop.stage('Novo'), Number('first')),
      addStage(shop.ctx, shop.pipeline.id, { name: 'Visita', kind: 'open', position: 4 }),
      createPipeline(shop.ctx, { name: 'Só fim', stages: [{ name: 'Ganho', kind: 'won' }] }),
      createPipeline(shop.ctx, { name: '', stages: [] }),
    ];

    for (const attempt of refused)
      await expect(attempt).rejects.toMatchObject({ code: 'validation' });
    await removeStage(shop.ctx, shop.stage('Novo'));
    await expect(removeStage(shop.ctx, shop.stage('Proposta'))).rejects.toMatchObject({
      details: [{ path: 'stages', rule: 'open_stage' }],
    });
  });

  it('has at most 50 stages', async () => {
    const stages = Array.from({ length: 50 }, (_, n) => ({ name: `S${n}`, kind: 'open' as const }));
    const full = await createPipeline(shop.ctx, { name: 'Cheio', stages });

    await expect(addStage(shop.ctx, full.id, { name: 'Mais', kind: 'won' })).rejects.toMatchObject({
      details: [{ rule: 'max_items', limit: 50 }],
    });
  });

  it('removes no stage that a deal is in, open or closed, or that a number begins with', async () => {
    await shop.deal({ stage_id: shop.stage('Ganho') });
    const { id: numberId } = await aNumber(shop.ctx);
    await inWorkspace(door.database, shop.ctx.organizationId, (sql) =>
      sql.rows('update numbers set stage_id = $2 where id = $1', [numberId, shop.stage('Novo')]),
    );

    await expect(removeStage(shop.ctx, shop.stage('Ganho'))).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { deals: 1, numbers: 0, campaigns: 0, automations: 0, segments: 0 } },
    });
    await expect(removeStage(shop.ctx, shop.stage('Novo'))).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { deals: 0, numbers: 1, campaigns: 0, automations: 0, segments: 0 } },
    });
  });

  it('removes no stage that an automation names', async () => {
    const stage_ids = [shop.stage('Proposta')];
    await anAutomation(shop.ctx, {
      trigger: { type: 'stage_changed', stage_ids },
      steps: [{ id: 'end', type: 'end' }],
    });

    await expect(removeStage(shop.ctx, shop.stage('Proposta'))).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { deals: 0, numbers: 0, campaigns: 0, automations: 1, segments: 0 } },
    });
  });

  it('removes no stage that a campaign names, not even one that is still a draft', async () => {
    const stage_ids = [shop.stage('Proposta')];
    const { id: number_id } = await aNumber(shop.ctx);
    await aCampaign(shop.ctx, {
      target: 'pipeline',
      pipeline_id: shop.pipeline.id,
      stage_ids,
      number_id,
      contact_ids: [],
    });

    await expect(removeStage(shop.ctx, shop.stage('Proposta'))).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { deals: 0, numbers: 0, campaigns: 1, automations: 0, segments: 0 } },
    });
  });

  it('never loses a deal to a stage that is removed at the same moment', async () => {
    const outcomes = await Promise.allSettled([
      removeStage(shop.ctx, shop.stage('Proposta')),
      shop.deal({ stage_id: shop.stage('Proposta') }),
    ]);

    const stages = (await shop.call('GET', `/pipelines/${shop.pipeline.id}`)).body.stages;
    const [removed, dealt] = outcomes.map(({ status }) => status === 'fulfilled');
    expect(removed).toBe(!dealt);
    expect(stages.length).toBe(removed ? 3 : 4);
    const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(String(refusal?.reason.message)).toMatch(/in use|unknown_stage/);
  });

  it('keeps names apart, whatever their case, also in a race', async () => {
    const attempts = await Promise.allSettled(
      ['Feiras', 'FEIRAS', 'feiras'].map((name) => aPipeline(shop.ctx, name)),
    );

    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(renamePipeline(shop.ctx, shop.pipeline.id, 'feiras')).rejects.toMatchObject({
      code: 'duplicate',
    });
    expect((await renamePipeline(shop.ctx, shop.pipeline.id, 'VENDAS')).name).toBe('VENDAS');
  });

  it('leaves out blanks around a name, by which two would look alike', async () => {
    await expect(aPipeline(shop.ctx, ' Vendas ')).rejects.toMatchObject({ code: 'duplicate' });
    await addStage(shop.ctx, shop.pipeline.id, { name: ' Visita', kind: 'open' });
    const renamed = await renameStage(shop.ctx, shop.stage('Ganho'), 'Vendido ');

    expect(order(renamed)).toContain('2 Visita');
    expect(order(renamed)).toContain('3 Vendido');
  });

  it('is for those who may manage pipelines', async () => {
    const as = (role: Role) =>
      createContext(
        { database: door.database, wake: () => {} },
        {
          organizationId: shop.ctx.organizationId,
          now: shop.ctx.now,
          actor: {
            type: 'member',
            id: shop.ownerId,
            name: 'Ana',
            role,
            visibility: 'workspace',
            teamIds: [],
            numberIds: [],
            permissions: permissionsOf(role, []),
            credentialId: 'session',
            app: null,
          },
        },
      );

    const attempts = [
      createPipeline(as('agent'), { name: 'X', stages: [{ name: 'Novo', kind: 'open' }] }),
      renamePipeline(as('agent'), shop.pipeline.id, 'X'),
      removeStage(as('viewer'), shop.stage('Novo')),
    ];

    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        code: 'forbidden',
        details: { permission: 'pipelines.manage' },
      });
    expect((await renamePipeline(as('admin'), shop.pipeline.id, 'X')).name).toBe('X');
  });
});
