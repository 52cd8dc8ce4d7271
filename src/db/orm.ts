import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { ApiKey, ServiceAccount } from '../api-keys/entities.ts';
import { Campaign } from '../campaigns/entities.ts';
import { Contact } from '../contacts/entities.ts';
import { Conversation, Message } from '../conversations/entities.ts';
import { Member, Team } from '../members/entities.ts';
import { WhatsAppNumber } from '../numbers/entities.ts';
import { WebhookEndpoint } from '../webhooks/entities.ts';
import { Plan, Workspace } from '../workspaces/entities.ts';
import { dropLostClients } from './lost-clients.ts';
import { migrations } from './migrations/index.ts';
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

/** A plan that was made while a table was empty would read it whole ever after. */
const PREPARED_PLANS = '-c enable_seqscan=off';

/** Opens the ORM on `url`. `role` is taken by each connection as it is made. */
export function openOrm(
  url: string,
  options: { role?: string; max: number; statementMs?: number; onPool?: (pool: pg.Pool) => void },
): Promise<MikroORM> {
  const config: Options = {
    clientUrl: url,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    pool: { min: 0, max: options.max },
    driverOptions: {
      types: parsers,
      connectionTimeoutMillis: 3_000,
      onPoolCreated: (pool: pg.Pool) => {
        dropLostClients(pool);
        options.onPool?.(pool);
      },
      Client: PreparingClient,
      ...(options.role
        ? {
            options: `-c role=${options.role} -c statement_timeout=${options.statementMs ?? 0} ${PREPARED_PLANS}`,
          }
        : {}),
    },
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
      snapshot: false,
      silent: true,
    },
  };
  return MikroORM.init(defineConfig(config));
}
