import { describe, expect, it } from '@jest/globals';
import { counted, table } from '../../src/cli/output.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

it('pads the columns of a table to what is shown, whatever people wrote', () => {
  expect(
    table([
      ['name', 'id'],
      ['Ana\u202e', 'con_1'],
    ]),
  ).toEqual(['name       id', String.raw`Ana\u202e  con_1`]);
});

it('counts one as one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'is', 'are'))).toEqual(['0 are', '1 is', '2 are']);
});

const SALES = ['--name', 'Vendas', '--stages', 'Novo:open,Visita:open'];

const HERE = ['--workspace', 'org_1'];

const shell = opened(openShell);

it('says so where a list has none, and prints an empty one with --json', async () => {
  const said = await shell.wmsInWords('reminder', 'list');
  const { json } = await shell.wms('reminder', 'list');

  expect([said.out, json]).toEqual(['none\n', []]);
});

it('refuses a number that is empty, as a variable that is not set: it is not 0', async () => {
  const { id: number } = await aNumber(shell.ctx);
  const stages = await shell.wms('pipeline', 'create', ...SALES);
  const group = ['group', 'add', '--number', number, '--provider-id', 'g-1', '--name', 'Bairro'];

  const refused = [
    await shell.wms('member', 'change', shell.ownerId, '--capacity', ''),
    await shell.wms('pipeline', 'move-stage', stages.json.stages[1].id, '--position', ''),
    await shell.wms(...group, '--members', ''),
    await shell.wms('campaign', 'daily-limit', number, ' '),
  ];

  const paths = refused.map(({ json }) => json.error?.details[0].path);
  expect(paths).toEqual(['capacity', 'position', 'members', 'daily_limit']);
});

describe('a wrong call with --json', () => {
  it.each([
    ['a missing option', ['workspace', 'create'], "required option '--name <name>' not specified"],
    ['a missing argument', ['number', 'connect', ...HERE], "missing required argument 'number'"],
    ['an unknown option', ['number', 'list', ...HERE, '--colour'], "unknown option '--colour'"],
    ['an unknown command', ['number', 'paint'], "unknown command 'paint'"],
  ])('prints one JSON document: %s', async (_, words, message) => {
    const { code, json } = await shell.wmsAnywhere(...words, '--json');

    expect([code, json]).toEqual([
      1,
      { error: { code: 'usage', message: expect.stringContaining(message) } },
    ]);
  });

  it('shows help that was asked for', async () => {
    const { code, out } = await shell.wmsAnywhere('number', 'list', '--help', '--json');

    expect(code).toBe(0);
    expect(out).toContain('Usage: wms number list');
  });
});
