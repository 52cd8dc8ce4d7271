import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKey, ServiceAccount } from '../api-keys/entities.ts';
import { Campaign } from '../campaigns/entities.ts';
import { Contact } from '../contacts/entities.ts';
import { Conversation, Message } from '../conversations/entities.ts';
import { Member, Team } from '../members/entities.ts';
import { WhatsAppNumber } from '../numbers/entities.ts';
import { WebhookEndpoint } from '../webhooks/entities.ts';
import { Plan, Workspace } from '../workspaces/entities.ts';
import { dropLostClients } from './connections/lost-clients.ts';
import { parsers } from './connections/parsers.ts';
import { PreparingClient } from './connections/prepared.ts';

/** Every entity, listed by hand: nothing is discovered. Hot and partitioned tables have no entities, only SQL. */
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

/** For every pool, in milliseconds: the longest wait for a connection, and how long an unused one is kept. */
export const POOL_TIMES = { connectionTimeoutMillis: 3_000, idleTimeoutMillis: 30_000 };

/**
 * A plan made while a table was empty would scan it for ever, and every workspace passes for all of its table (migration
 * 0063), so that reading the others' rows too would seem to cost nothing. Overestimated like that, statements of milliseconds
 * would seem worth being compiled, which takes hundreds.
 */
export const BY_INDEXES = '-c enable_seqscan=off -c jit=off';

interface OrmOptions extends Pick<Options, 'extensions' | 'migrations'> {
  readonly role?: string;
  /** Connections. */
  readonly max: number;
  /** The longest time of a statement; 0 for no limit. */
  readonly statementMs?: number;
  /** For connections without a role, as `-c name=value`. */
  readonly settings?: string;
}

/** Opens the ORM on `url`. Each connection assumes `role` when it is created. */
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
        ? `-c role=${role} -c statement_timeout=${statementMs} ${BY_INDEXES}`
        : settings,
    },
  };
  return MikroORM.init(defineConfig(config));
}
