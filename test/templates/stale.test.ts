import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { requireTemplate } from '../../src/templates/service.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: OwnDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

it.each([
  ['50 minutes', 'unknown_template'],
  ['70 minutes', 'let through'],
])(
  'A list of templates that was read %s ago: a template that it lacks is %s',
  async (age, said) => {
    const { organizationId } = ctx;
    const { id } = await aNumber({ ...ctx, em: ctx.em.fork() });

    const checked = await inWorkspace(database, organizationId, async (sql) => {
      await sql.rows('insert into template_syncs values ($1, $2, now(), now() - $3::interval)', [
        organizationId,
        id,
        age,
      ]);
      const wanted = { name: 'novo', language: 'pt_BR', parameters: [] };
      return requireTemplate({ sql, organizationId }, id, wanted).then(
        () => 'let through',
        ({ details }) => details[0].rule,
      );
    });

    expect(checked).toBe(said);
  },
);
