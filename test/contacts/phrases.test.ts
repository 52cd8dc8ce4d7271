import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addPhrase,
  effectOf,
  listPhrases,
  removePhrase,
} from '../../src/contacts/opt-outs/phrases.ts';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openShell, type Shell } from '../support/shell.ts';

let shell: Shell;
let database: Database;
let ctx: Context;
beforeAll(async () => {
  shell = await openShell();
  ({ database, ctx } = shell);
});
afterAll(() => shell.close());

const meaning = (text: string, of = ctx) => transact(of, (tx) => effectOf(tx, text));
const about = async (phrase: string) =>
  (await transact(ctx, listPhrases)).find((each) => each.phrase === phrase);
const entries = () =>
  inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows<{ action: string; id: string; changes: unknown }>(
      `select action, target->>'id' as id, changes from audit_entries
       where action like 'opt_out_phrase.%' order by seq desc limit 1`,
    ),
  );

describe('the phrases of a workspace', () => {
  it('are kept as they are compared, heard at once, and written into the log', async () => {
    const added = await addPhrase(ctx, '  Não me MANDE mais!! ', 'out');

    expect(added).toEqual({ phrase: 'nao me mande mais', effect: 'out', own: true });
    expect(await meaning('Nao me mande mais.')).toBe('out');
    expect(await entries()).toEqual([
      {
        action: 'opt_out_phrase.added',
        id: 'nao me mande mais',
        changes: [{ field: 'effect', from: null, to: 'out' }],
      },
    ]);
  });

  it('say nothing any more once they are removed, the common ones too, and come back by adding', async () => {
    await addPhrase(ctx, 'chega', 'out');
    await removePhrase(ctx, 'Chega!');
    await removePhrase(ctx, 'REMOVER');

    expect([await meaning('chega'), await meaning('remover')]).toEqual([null, null]);
    expect(await about('chega')).toBeUndefined();
    expect(await about('remover')).toEqual({ phrase: 'remover', effect: 'none', own: true });

    await addPhrase(ctx, 'remover', 'out');

    expect(await about('remover')).toEqual({ phrase: 'remover', effect: 'out', own: false });
    expect(await meaning('Remover')).toBe('out');
  });

  it('are this workspace\u2019s alone', async () => {
    const { ctx: other } = await aWorkspace(database);
    await addPhrase(ctx, 'quero de novo', 'in');

    expect(await meaning('Quero de novo')).toBe('in');
    expect(await meaning('Quero de novo', other)).toBeNull();
  });

  it('say the same twice without a second entry in the log', async () => {
    await addPhrase(ctx, 'basta', 'out');
    const [before] = await entries();

    expect(await addPhrase(ctx, 'BASTA', 'out')).toEqual({
      phrase: 'basta',
      effect: 'out',
      own: true,
    });
    await removePhrase(ctx, 'nunca dito');

    expect(await entries()).toEqual([before]);
  });

  it.each(['', ' \u2026 !', 'x'.repeat(61)])(
    'refuse what no message can be: %p',
    async (written) => {
      await expect(addPhrase(ctx, written, 'out')).rejects.toMatchObject({
        code: 'validation',
        details: [{ path: 'phrase', rule: 'length', limit: 60 }],
      });
    },
  );

  it('are added, removed and listed by wms workspace opt-out-phrases', async () => {
    const wms = (...args: string[]) => shell.wms('workspace', 'opt-out-phrases', ...args);

    await wms('add', 'Voltei', '--back-in');
    await wms('remove', 'baja');
    const { phrases } = (await wms('list')).json;

    expect(phrases).toContainEqual({ phrase: 'voltei', effect: 'in', own: true });
    expect(phrases).toContainEqual({ phrase: 'baja', effect: 'none', own: true });
    expect(phrases).toContainEqual({ phrase: 'stop', effect: 'out', own: false });
  });
});
