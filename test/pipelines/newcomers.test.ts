import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

interface Place {
  readonly ctx: Context;
  readonly pipeline: APipeline;
  readonly numberId: string;
  readonly phoneNumberId: string;
}

/** A number whose new people begin in "Novo". */
async function aPlace(): Promise<Place> {
  const { ctx } = await aWorkspace(stage.database);
  const pipeline = await aPipeline(ctx);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const novo = pipeline.stages['Novo'];
  await rowsOf(ctx, `update numbers set stage_id = '${novo}' where id = '${numberId}'`);
  return { ctx, pipeline, numberId, phoneNumberId: phoneNumberId ?? '' };
}

async function arrive(place: Place, text: string, from = '5511987654321'): Promise<void> {
  await stage.post(
    aMessageWebhook(place.phoneNumberId, { id: `wamid.${newId('msg')}`, text, from }),
  );
  await stage.process();
}

interface Deal {
  readonly id: string;
  readonly title: string;
  readonly stage_id: string;
  readonly contact_id: string;
  readonly conversation_id: string;
}

const dealsOf = ({ ctx }: Place): Promise<Deal[]> =>
  rowsOf<Deal>(ctx, 'select * from deals order by id');

describe('a person who is new to a number with a first stage', () => {
  it('gets one deal there, in the transaction of the message, and subscribers hear of it', async () => {
    const place = await aPlace();

    await arrive(place, 'Oi');
    await arrive(place, 'Tudo bem?');

    const deals = await dealsOf(place);
    expect(deals).toMatchObject([{ stage_id: place.pipeline.stages['Novo'] }]);
    const facts = await factsOf(place.ctx, 'stage.changed');
    expect(facts).toMatchObject([
      {
        deal: { id: deals[0]?.id, status: 'open' },
        from: null,
        to: { id: place.pipeline.stages['Novo'] },
        changed_by: { type: 'system', id: null },
        contact_id: deals[0]?.contact_id,
        conversation_id: deals[0]?.conversation_id,
        number_id: place.numberId,
      },
    ]);
    const entries = await rowsOf<{ action: string }>(
      place.ctx,
      "select action from audit_entries where action ~ '^(contact|deal)' order by seq",
    );
    expect(entries.map(({ action }) => action)).toEqual(['contact.created', 'deal.created']);
  });

  it('is not new on another number: a known contact gets no second deal', async () => {
    const place = await aPlace();
    await arrive(place, 'Oi');
    const other = await aNumber(place.ctx);
    const proposta = place.pipeline.stages['Proposta'];
    await rowsOf(place.ctx, `update numbers set stage_id = '${proposta}' where id = '${other.id}'`);

    await arrive({ ...place, phoneNumberId: other.phoneNumberId ?? '' }, 'Oi de novo');

    expect(await dealsOf(place)).toHaveLength(1);
  });
});

describe('a number without a first stage', () => {
  it('makes no deals', async () => {
    const place = await aPlace();
    await rowsOf(place.ctx, 'update numbers set stage_id = null');

    await arrive(place, 'Oi');

    expect(await dealsOf(place)).toEqual([]);
  });
});
