import { beginImport } from '../../../src/contacts/imports/service.ts';
import type { Context } from '../../../src/context.ts';
import { openSpool } from '../../../src/http/body/spool.ts';

/** An import of one good row and one whose phone is none. */
export async function anImport(ctx: Context): Promise<string> {
  const spool = await openSpool({ ...ctx, credentialId: 'tests' });
  const csv = Buffer.from('name,phone\nRita,+5511987651111\nSem,12345\n');
  const file = await spool.keep(
    'clientes.csv',
    'text/csv',
    (async function* () {
      yield csv;
    })(),
  );
  const { id } = await beginImport(ctx, file);
  await spool.close();
  return id;
}
