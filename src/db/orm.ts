import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKey, ServiceAccount } from '../api-keys/entities.ts';
import { Campaign } from '../campaigns/entities.ts';
import { Contact } from '../contacts/entities.ts';
import { Conversation, Message } from '../conversations/entities.ts';
import { Member, Team } from '../members/entities.ts';
import { WhatsAppNumber } from '../numbers/entities.ts';
import { WebhookEndpoint } from '../webhooks/entities.ts';
import { Plan, Workspace } from '../workspaces/entities.ts';
import { dropLostClients } from './lost-clients.ts';
import { parsers } from './parsers.ts';
import { PreparingClient } from './prepared.ts';

/** Every entity, listed by hand: nothing is discovered. Hot and partitioned tables are SQL only. */
const entities = [
  ApiKey,
  Campaign,
  Contact,
  Conversation,
  Member,
  Message,
  Plan,
  ServiceAccount,
  Team,
  WebhookEndpoint,
  WhatsAppNumber,
  Workspace,
];

/** Of every pool, in milliseconds: the longest wait for a connection, and how long one is kept that nobody uses. */
export const POOL_TIMES = { connectionTimeoutMillis: 3_000, idleTimeoutMillis: 30_000 };

/** A plan that was made while a table was empty would read it whole ever after. */
const PREPARED_PLANS = '-c enable_seqscan=off';

interface OrmOptions extends Pick<Options, 'extensions' | 'migrations'> {
  readonly role?: string;
  /** Connections. */
  readonly max: number;
  /** How long a statement may take at most; 0 means as long as it likes. */
  readonly statementMs?: number;
  /** Of connections without a role, as `-c name=value`. */
  readonly settings?: string;
}

/** Opens the ORM on `url`. `role` is taken by each connection as it is made. */
export function openOrm(url: string, options: OrmOptions): Promise<MikroORM> {
  const { role, max, statementMs = 0, settings = '', ...own } = options;
  const config: Options = {
    clientUrl: url,
    entities,
    ...own,
    forceUtcTimezone: true,
    pool: { min: 0, max, idleTimeoutMillis: POOL_TIMES.idleTimeoutMillis },
    driverOptions: {
      types: parsers,
      connectionTimeoutMillis: POOL_TIMES.connectionTimeoutMillis,
      onPoolCreated: dropLostClients,
      Client: PreparingClient,
      options: role
        ? `-c role=${role} -c statement_timeout=${statementMs} ${PREPARED_PLANS}`
        : settings,
    },
  };
  return MikroORM.init(defineConfig(config));
}
