import { campaignRoutes } from '../../../src/campaigns/routes.ts';
import type { Context } from '../../../src/context.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../../support/http.ts';
import { contactsWith, ordinaryPhones } from './sending.ts';

export const openCampaignDoor = (): Promise<OpenDoor> => openDoor({ routes: campaignRoutes });

/** A workspace with a key, a number and three contacts. */
export interface House {
  readonly ctx: Context;
  readonly numberId: string;
  readonly contactIds: string[];
  call(method: string, path: string, body?: unknown): Promise<Reply>;
  /** A body that makes a draft, with these changes. */
  draft(changes?: object): object;
  /** The id of a draft that was made. */
  created(changes?: object): Promise<string>;
  /** Types of the commands recorded so far. */
  commands(): Promise<string[]>;
}

export async function aHouse(door: OpenDoor): Promise<House> {
  const { ctx } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const { id: numberId } = await aNumber(ctx);
  const contactIds = await contactsWith(ctx, ordinaryPhones(3));
  const house: House = {
    ctx,
    numberId,
    contactIds,
    call: (method, path, body) =>
      door.api.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) }),
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
      const reply = await house.call('POST', '/campaigns', house.draft(changes));
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
  return house;
}

export const soon = (minutes = 60): string => new Date(Date.now() + minutes * 60_000).toISOString();
