import { pipelineRoutes } from '../../src/pipelines/routes.ts';
import { type BehindDoor, workspaceBehind } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { auditActions, factsOf } from '../support/rows-of.ts';

export const openPipelineDoor = (): Promise<OpenDoor> => openDoor({ routes: pipelineRoutes });

/** A workspace with a pipeline and a contact, behind the door. */
export interface Shop extends BehindDoor {
  readonly contactId: string;
  readonly pipeline: APipeline;
  /** The id of a stage of the pipeline. */
  stage(name: string): string;
  /** The id of a deal made by the key, of a contact of its own unless told. */
  deal(wishes?: object): Promise<string>;
  /** The data of every `stage.changed` so far, in order. */
  changes(): Promise<Record<string, unknown>[]>;
  /** Actions of the audit log about this record, in order. */
  entries(id: string): Promise<string[]>;
}

export async function aShop(door: OpenDoor): Promise<Shop> {
  const behind = await workspaceBehind(door);
  const { ctx } = behind;
  const pipeline = await aPipeline(ctx);
  const contactId = (await aContact(ctx)).id;
  const shop: Shop = {
    ...behind,
    contactId,
    pipeline,
    stage: (name) => pipeline.stages[name] ?? `no stage ${name}`,
    deal: async (wishes = {}) => {
      const contact_id = (await aContact(ctx)).id;
      const body = { stage_id: shop.stage('Novo'), contact_id, ...wishes };
      const reply = await shop.call('POST', '/deals', body);
      if (reply.status !== 201) throw new TypeError(reply.text);
      return reply.body.id;
    },
    changes: () => factsOf(ctx, 'stage.changed'),
    entries: (id) => auditActions(ctx, id),
  };
  return shop;
}
