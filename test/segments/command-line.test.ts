import { describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

const wms = (...args: string[]): Promise<Said> => shell.wms(...args);

describe('wms segment', () => {
  it('makes a segment of the rules in a file, and lists it', async () => {
    await aContact(shell.ctx, { tags: ['VIP'] });
    const file = shell.file({ field: 'tag', op: 'has_any', value: ['vip'] });

    const made = await wms('segment', 'create', '--name', 'VIPs', '--file', file);
    const listed = await wms('segment', 'list');

    expect(made.json).toEqual({ id: expect.stringMatching(/^seg_/), count: 1 });
    expect(listed.json).toMatchObject([{ id: made.json.id, name: 'VIPs', count: 1 }]);
  });

  it('lists all of them, however many', async () => {
    const names = Array.from({ length: 101 }, (_, n) => `Parte ${n + 1}`);
    for (const name of names) await aSegment(shell.ctx, { name });

    const { json } = await wms('segment', 'list');

    const listed = json.map(({ name }: { name: string }) => name);
    expect(listed.slice(0, 101)).toEqual(names.reverse());
  });

  it('says where the rules are wrong', async () => {
    const file = shell.file({ all: [{ field: 'tag', op: 'is', value: true }] });

    const refused = await wms('segment', 'create', '--name', 'VIPs', '--file', file);

    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json)).toContain('rules.all[0].op');
  });
});

describe('wms campaign', () => {
  it('drafts nothing that the API would refuse', async () => {
    const number = await aNumber(shell.ctx);
    const segment = await aSegment(shell.ctx);
    const groups = Array.from({ length: 101 }, (_, n) => ['--group', `grp_${n}`]).flat();
    const create = (name: string, text: string, ...more: string[]) =>
      wms('campaign', 'create', '--name', name, '--number', number.id, '--text', text, ...more);

    const blank = await create(' ', '  ', '--segment', segment.id);
    const many = await create('Aviso', 'Oi', '--pace', 'fast', ...groups);

    const named = ({ code, json }: Said) => [
      code,
      json.error.details.map(({ path }: { path: string }) => path).sort(),
    ];
    expect(named(blank)).toEqual([1, ['name', 'text']]);
    expect(named(many)).toEqual([1, ['group_ids', 'pace']]);
  });

  it('drafts a campaign to a pipeline, which the API never makes, and sends it', async () => {
    const number = await aNumber(shell.ctx);
    const pipeline = await aPipeline(shell.ctx);
    const words = ['--name', 'Propostas', '--number', number.id, '--text', 'Oi {{name|você}}'];
    const stage = pipeline.stages['Proposta'] ?? '';

    const made = await wms(
      ...['campaign', 'create', ...words, '--pipeline', pipeline.id, '--stage', stage],
    );
    const sent = await wms('campaign', 'send', made.json.campaign_id);

    expect(made.json).toEqual({ campaign_id: expect.stringMatching(/^cmp_/), status: 'draft' });
    expect(sent.json).toMatchObject({ status: 'sending' });
  });
});
