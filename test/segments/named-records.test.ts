import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { removeMember, removeTeam } from '../../src/members/removing.ts';
import { addTeam } from '../../src/members/teams.ts';
import { removeNumber } from '../../src/numbers/removing.ts';
import { removeStage } from '../../src/pipelines/managing.ts';
import { changeSegment } from '../../src/segments/changing.ts';
import { rulesOf } from '../../src/segments/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);
let ctx: Context;
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
});

const again = (): Context => ({ ...ctx, em: ctx.em.fork() });

const outside = (field: string, id: string) => ({
  not: { all: [{ field, op: 'has_any', value: [id] }] } as const,
});

interface Kind {
  readonly kind: string;
  readonly field: string;
  readonly made: () => Promise<string>;
  readonly remove: (id: string) => Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'team',
    field: 'team_id',
    made: async () => (await addTeam(again(), 'VIP')).id,
    remove: (id) => removeTeam(again(), id),
  },
  {
    kind: 'stage',
    field: 'stage',
    made: async () => (await aPipeline(again())).stages['Proposta'] ?? '',
    remove: (id) => removeStage(again(), id),
  },
  {
    kind: 'number',
    field: 'number_id',
    made: async () => (await aNumber(again(), { provider: 'paired' })).id,
    remove: (id) => removeNumber(again(), id),
  },
];

describe.each(KINDS)('a $kind that a segment names', ({ field, made, remove }) => {
  it('is not removed: whom the segment reaches would change', async () => {
    const id = await made();
    const segment = await aSegment(again(), { rules: outside(field, id) });

    await expect(remove(id)).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { segments: 1 } },
    });
    const rules = { field: 'opted_out', op: 'is', value: false };
    await changeSegment(again(), segment.id, { name: 'Todos', rules });
    await remove(id);
  });

  it.each(['written', 'changed'])(
    'is not removed either when the segment is %s at the same moment',
    async (done) => {
      const id = await made();
      const rules = outside(field, id);
      const before = await aSegment(again());

      const removing = await transact(again(), async (tx) => {
        if (done === 'written') await aSegment(tx, { rules });
        else await changeSegment(tx, before.id, { name: 'Fora', rules });
        const begun = remove(id).then(
          () => 'removed',
          (error) => error.code,
        );
        await untilWaiting(database.app);
        return { begun };
      });

      expect(await removing.begun).toBe('in_use');
    },
  );
});

it.each(['created', 'changed'])(
  'what a segment names that is being %s is free while its contacts are counted',
  async (done) => {
    const { id: numberId } = await aNumber(again());
    const { id: contactId } = await aContact(again());
    const wishes = { number_id: numberId, contact_ids: [contactId] };
    const { id: campaignId } = await aCampaign(again(), wishes);
    const rules = {
      any: [
        { field: 'number_id', op: 'has_any', value: [numberId] },
        { field: 'campaign.received', op: 'has_any', value: [campaignId] },
      ],
    } as const;
    const { id } = await aSegment(again());

    const { writing } = await transact(again(), async (tx) => {
      await tx.sql.rows('lock table contacts in access exclusive mode');
      const writing =
        done === 'created'
          ? aSegment(again(), { rules })
          : changeSegment(again(), id, { name: 'Clientes', rules });
      await untilWaiting(database.app);
      for (const table of ['numbers', 'campaigns'])
        await tx.sql.rows(`select 1 from ${table} for update nowait`);
      return { writing };
    });
    await writing;
  },
);

describe('a segment that names someone who left', () => {
  it('is renamed, and takes no other name of nobody', async () => {
    const { id } = await aMember(again());
    const rules = { field: 'owner_id', op: 'in', value: [id] } as const;
    const segment = await aSegment(again(), { rules });
    await removeMember(again(), id);

    await changeSegment(again(), segment.id, { name: 'De quem saiu', rules });

    const change = (value: unknown, field = 'owner_id') =>
      changeSegment(again(), segment.id, {
        name: 'De quem saiu',
        rules: { field, op: 'in', value },
      });
    await expect(change([id, 'mem_nobody'])).rejects.toMatchObject({
      details: [{ path: 'rules.value[1]', rule: 'unknown' }],
    });
    await expect(change([id], 'team_id')).rejects.toMatchObject({ code: 'validation' });
    expect(await transact(again(), (tx) => rulesOf(tx, segment.id))).toEqual(rules);
  });
});
