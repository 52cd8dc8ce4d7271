import { campaignRoutes } from '../../../src/campaigns/routes.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { type BehindDoor, workspaceBehind } from '../../support/api.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import { contactsWith, ordinaryPhones } from './sending.ts';

export const openCampaignDoor = (): Promise<OpenDoor> => openDoor({ routes: campaignRoutes });

/** A workspace with a key, a number and three contacts. */
export interface CampaignScene extends BehindDoor {
  readonly numberId: string;
  readonly contactIds: string[];
  /** A body that makes a draft, with these changes. */
  draft(changes?: object): object;
  /** The id of a draft that was made. */
  created(changes?: object): Promise<string>;
  /** Types of the commands recorded so far. */
  commands(): Promise<string[]>;
}

export async function aCampaignScene(door: OpenDoor): Promise<CampaignScene> {
  const behind = await workspaceBehind(door);
  const { ctx } = behind;
  const { id: numberId } = await aNumber(ctx);
  const contactIds = await contactsWith(ctx, ordinaryPhones(3));
  const scene: CampaignScene = {
    ...behind,
    numberId,
    contactIds,
    draft: (changes = {}) => ({
      name: 'Black Friday',
      number_id: numberId,
      target: 'contacts',
      contact_ids: contactIds,
      text: 'Oi {{first_name}}!',
      pace: 60,
      ...changes,
    }),
    created: async (changes) => {
      const reply = await scene.call('POST', '/campaigns', scene.draft(changes));
      if (reply.status !== 201) throw new TypeError(reply.text);
      return reply.body.id;
    },
    commands: async () => {
      const facts = await inWorkspace(door.database, ctx.organizationId, (sql) =>
        sql.rows<{ type: string }>('select type from facts where not is_event order by id'),
      );
      return facts.map(({ type }) => type);
    },
  };
  return scene;
}

export const soon = (minutes = 60): string => new Date(Date.now() + minutes * 60_000).toISOString();
