import type { Context } from '../../../src/context.ts';
import type { Database } from '../../../src/db/database.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { type IdPrefix, newIdAt } from '../../../src/ids.ts';

export interface Said {
  readonly conversationId: string;
  readonly at: string;
  readonly source: 'contact' | 'member' | 'automation' | 'campaign' | 'api' | 'phone' | 'reminder';
  readonly type?: string;
  readonly text?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly automationId?: string;
  readonly campaignId?: string;
  readonly author?: { type: string; id: string | null; name: string };
}

const moment = (at: string): Date => new Date(at);

/** Writes records of other days straight into the tables of one workspace: ids of their time, as they would have had. */
export function pastOf(database: Database, { organizationId }: Context) {
  const rows = (text: string, params: readonly unknown[]): Promise<unknown[]> =>
    inWorkspace(database, organizationId, (sql) => sql.rows(text, [organizationId, ...params]));
  const id = (prefix: IdPrefix, at: string): string => newIdAt(prefix, moment(at));

  return {
    async contact(at: string, origin = 'direct'): Promise<string> {
      const contactId = id('con', at);
      await rows(
        `insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
         values ($1, $2, 'Ana', $3, 'message', $4, $4)`,
        [contactId, origin, moment(at)],
      );
      return contactId;
    },

    async conversation(
      at: string,
      numberId: string,
      contactId: string,
      more: { teamId?: string; memberId?: string; closedAt?: string } = {},
    ): Promise<string> {
      const conversationId = id('cnv', at);
      await rows(
        `insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, assigned_member_id,
           status, closed_at, opened_at, created_at)
         values ($1, $2, $3, $4, $5, $6, case when $7::timestamptz is null then 'open' else 'closed' end, $7, $8, $8)`,
        [
          conversationId,
          numberId,
          contactId,
          more.teamId ?? null,
          more.memberId ?? null,
          more.closedAt ? moment(more.closedAt) : null,
          moment(at),
        ],
      );
      return conversationId;
    },

    async say(said: Said): Promise<void> {
      const inbound = said.source === 'contact';
      const { type = 'text', text = 'Olá' } = said;
      await rows(
        `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
           source, author, automation_id, campaign_id, error, created_at)
         select $1, $2, v.id, v.number_id, v.contact_id, $4, $13, $5, $6, $7, $8, $9, $10, $11, $12
         from conversations v where v.organization_id = $1 and v.id = $3`,
        [
          id('msg', said.at),
          said.conversationId,
          inbound ? 'inbound' : 'outbound',
          text,
          said.status ?? (inbound ? 'received' : 'delivered'),
          said.source,
          said.author ? JSON.stringify(said.author) : null,
          said.automationId ?? null,
          said.campaignId ?? null,
          said.reason
            ? JSON.stringify({
                reason: said.reason,
                code: said.reason,
                provider_code: null,
                message: '',
              })
            : null,
          moment(said.at),
          type,
        ],
      );
    },

    async activity(conversationId: string, at: string, type: 'closed' | 'reopened'): Promise<void> {
      await rows(
        `insert into conversation_activities (organization_id, id, conversation_id, type, data, actor, created_at)
         values ($1, $2, $3, $4, '{}', '{}', $5)`,
        [id('act', at), conversationId, type, moment(at)],
      );
    },

    async automation(name: string): Promise<string> {
      const automationId = newIdAt('atm', new Date());
      await rows(
        `with made as (insert into automations (organization_id, id, name, status, version, draft, created_by, created_at, updated_at)
           values ($1, $2, $3, 'active', 1, '{}', '{}', now(), now()))
         insert into automation_versions values ($1, $2, 1, '{}', now())`,
        [automationId, name],
      );
      return automationId;
    },

    async run(
      automationId: string,
      at: string,
      more: { status: string; conversationId?: string; contactId?: string; finishedAt?: string },
    ): Promise<void> {
      await rows(
        `insert into automation_runs (organization_id, id, automation_id, version, contact_id, conversation_id, trigger, status,
           started_at, finished_at)
         values ($1, $2, $3, 1, $4, $5, '{"type":"manual","ref":null}', $6, $7, $8)`,
        [
          id('run', at),
          automationId,
          more.contactId ?? null,
          more.conversationId ?? null,
          more.status,
          moment(at),
          more.finishedAt ? moment(more.finishedAt) : null,
        ],
      );
    },
  };
}
