import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const shell = opened(openShell);

it('an import exits with 1 when it could not take all rows, names them, and takes the others', async () => {
  const bring = (rows: string) =>
    shell.wmsInWords('contacts', 'import', shell.file(`name,phone\n${rows}`));

  const some = await bring('Ana,+5511981112233\nBia,+5511981112234,x\nCaio,123\n');
  const all = await bring('Du,+5511981112235\n');

  expect([some.code, all.code]).toEqual([1, 0]);
  expect(some.out).toMatch(/^line 3: This row has more or fewer cells/m);
  expect(some.out).toMatch(/^line 4: phone: /m);
  expect(some.out).toMatch(/^1 created, 0 updated, 0 unchanged, 2 invalid$/m);
  expect(all.out).toMatch(/^1 created, 0 updated, 0 unchanged, 0 invalid$/m);
});
