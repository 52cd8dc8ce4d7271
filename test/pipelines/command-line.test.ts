import { describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

const wms = (...args: string[]): Promise<Said> => shell.wms('pipeline', ...args);
const names = ({ json }: Said): string[] =>
  json.stages.map((stage: { name: string }) => stage.name);

describe('wms pipeline', () => {
  it('creates a pipeline and arranges its stages', async () => {
    const made = await wms('create', '--name', 'Vendas', '--stages', 'Novo:open,Ganho:won');
    const lost = await wms('add-stage', made.json.id, '--name', 'Perdido', '--kind', 'lost');
    const moved = await wms('move-stage', lost.json.stages[2].id, '--position', '1');
    const listed = await wms('list');

    expect(names(lost)).toEqual(['Novo', 'Ganho', 'Perdido']);
    expect(names(moved)).toEqual(['Novo', 'Perdido', 'Ganho']);
    expect(listed.json).toEqual([moved.json]);
  });

  it('says what is wrong, field by field', async () => {
    const refused = await wms('create', '--name', 'Fim', '--stages', 'Ganho:won,Novo:maybe');

    expect(refused.code).toBe(1);
    expect(refused.json.error).toMatchObject({
      code: 'validation',
      details: [{ path: 'stages[1].kind', rule: 'enum' }],
    });
  });
});
