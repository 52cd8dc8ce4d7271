import { afterEach, describe, expect, it } from '@jest/globals';
import { importContacts } from '../../../src/contacts/imports/rows.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { createDeal, moveDeal } from '../../../src/pipelines/service.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

describe('a change of a contact', () => {
  it('starts what listens for the tag, whoever adds it and once each', async () => {
    await scene.automation('vip', { type: 'tag_added', tags: ['vip'] });
    const { ctx } = scene;
    const ana = await aContact(ctx, { name: 'Ana', tags: ['vip'] });
    const bia = await aContact(ctx, { name: 'Bia' });
    await updateContact(ctx, bia.id, { tags: ['VIP', 'outra'] });
    await updateContact(ctx, bia.id, { tags: ['vip'] });
    await updateContact(ctx, ana.id, { name: 'Ana Maria' });
    await importContacts(ctx, [
      { name: 'Caio', phone: '+5511981110001', tags: ['vip'] },
      { name: 'Davi', phone: '+5511981110002', tags: ['outra'] },
    ]);
    await importContacts(ctx, [
      { name: 'Caio', phone: '+5511981110001', tags: ['vip'] },
      { name: 'Davi', phone: '+5511981110002', tags: ['vip'] },
    ]);
    await scene.act();
    const runs = await scene.runs('vip');
    expect(runs.map(({ contact }) => contact).sort()).toEqual(['Ana Maria', 'Bia', 'Caio', 'Davi']);
    expect(runs[0]).toMatchObject({ trigger: { type: 'tag_added', ref: ana.id } });
  });

  it('starts what listens for the field and its value', async () => {
    await scene.automation('tamanho', {
      type: 'field_changed',
      field: 'custom.size',
      to: 'G',
    });
    const { ctx } = scene;
    const ana = await aContact(ctx, { custom: { size: 'G' } });
    await updateContact(ctx, ana.id, { custom: { size: 'M' } });
    await scene.act();
    expect(await scene.runs('tamanho')).toEqual([]);
    await updateContact(ctx, ana.id, { custom: { size: 'G' } });
    await scene.act();
    expect(await scene.runs('tamanho')).toHaveLength(1);
  });

  it('starts what listens for new contacts, by the way they came', async () => {
    await scene.automation('novos', { type: 'contact_created', created_via: ['message'] });
    await aContact(scene.ctx);
    await scene.writes(scene.aPhone(), 'oi');
    await scene.act();
    expect(await scene.runs('novos')).toHaveLength(1);
  });

  it('keeps nothing for hundreds of contacts while nothing listens', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => ({
      name: `Cliente ${n}`,
      phone: `+55119833${String(n).padStart(5, '0')}`,
      tags: ['vip'],
    }));
    await importContacts(scene.ctx, rows);
    expect(await scene.waiting()).toBe(0);
  });
});

describe('a deal', () => {
  it('starts what listens for the stage that it comes to', async () => {
    const { ctx } = scene;
    const pipeline = await aPipeline(ctx);
    const { Novo: first = '', Proposta: second = '' } = pipeline.stages;
    await scene.automation('etapa', {
      type: 'stage_changed',
      pipeline_id: pipeline.id,
      stage_ids: [second],
    });
    const contact = await aContact(ctx);
    const deal = await createDeal(ctx, { contact_id: contact.id, stage_id: first });
    await scene.act();
    expect(await scene.runs('etapa')).toEqual([]);
    await moveDeal(ctx, deal.id, { stage_id: second });
    await moveDeal(ctx, deal.id, { stage_id: second });
    await scene.act();
    expect(await scene.runs('etapa')).toMatchObject([
      { trigger: { type: 'stage_changed', ref: deal.id } },
    ]);
  });
});
