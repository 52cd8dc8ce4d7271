import { changesBetween } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { advisoryLock } from '../../db/advisory-locks.ts';
import { asSystem, type Database, inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { DAY_MS } from '../../durations.ts';
import { validation } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../outbox/events.ts';
import { commandFact, insertFacts } from '../../outbox/record.ts';
import { openSecret, secretPlace } from '../signing/keys.ts';
import { newSecret } from '../signing/signature.ts';

/**
 * A developer's own machine. Events are held for it, as for a paused endpoint, until `wms listen` fetches them; no
 * relay ever posts to its address.
 */
export interface Listener {
  /** `whk_…` */
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** `whsec_…`, the same each time it starts, unless nothing opens it any more. */
  readonly secret: string;
}

export interface ListenerRequest {
  /** Absolute, http or https. The listening machine itself posts to it. */
  readonly url: string;
  readonly events: readonly string[];
}

const NAME = 'wms listen';
/** A listener that has been silent for so long is ended, along with what is held for it. */
const SILENT_DAYS = 7;

interface Row {
  readonly id: string;
  readonly events: readonly WebhookEventType[];
  readonly secret: string;
}

const FIND = `
  select id, events, secret from webhook_endpoints
  where organization_id = $1 and kind = 'listener' and url = $2 and deleted_at is null for update`;

const CREATE = `
  insert into webhook_endpoints (organization_id, id, name, url, events, status, secret, kind, heard_at, paused_at, created_at)
  values ($1, $2, '${NAME}', $3, $4, 'paused', $5, 'listener', $6, $6, $6)`;

const CHANGE = `
  update webhook_endpoints set events = $3, heard_at = $4 where organization_id = $1 and id = $2`;

const RENEW = `
  update webhook_endpoints set secret = $3, secret_version = secret_version + 1 where organization_id = $1 and id = $2`;

/**
 * The listener of this workspace and address, found or created: events since it was last active wait for it. Throws
 * 422 `validation` for an unknown event.
 */
export function openListener(
  ctx: Context,
  request: ListenerRequest,
  keyring: Keyring,
): Promise<Listener> {
  const events = knownEvents(request.events);
  return transact(ctx, async (tx) => {
    const { organizationId, now } = tx;
    await advisoryLock(tx.sql, 'listener', `${organizationId} ${request.url}`);
    const place = (endpointId: string) => secretPlace({ organizationId, endpointId });
    const found = await first<Row>(tx.sql, FIND, [organizationId, request.url]);
    if (found) {
      const { id, secret } = found;
      await tx.sql.rows(CHANGE, [organizationId, id, events, now]);
      const changes = changesBetween({ events: found.events }, { events });
      const target = { type: 'webhook', id, name: NAME };
      if (changes.length > 0) await audit(tx, { action: 'webhook.updated', target, changes });
      const known = openSecret(keyring, secret, place(id));
      return {
        id,
        url: request.url,
        events,
        secret: known ?? (await renewSecret(tx, id, keyring)),
      };
    }
    const id = newId('whk');
    const secret = newSecret();
    const sealed = keyring.encrypt(secret, place(id));
    await tx.sql.rows(CREATE, [organizationId, id, request.url, events, sealed, now]);
    await audit(tx, {
      action: 'webhook.created',
      target: { type: 'webhook', id, name: NAME },
      changes: [
        { field: 'url', from: null, to: request.url },
        { field: 'events', from: null, to: events },
      ],
    });
    return { id, url: request.url, events, secret };
  });
}

/** The one before signs no more: nothing opens it. */
async function renewSecret(tx: Context, id: string, keyring: Keyring): Promise<string> {
  const { organizationId } = tx;
  const secret = newSecret();
  const sealed = keyring.encrypt(secret, secretPlace({ organizationId, endpointId: id }));
  await tx.sql.rows(RENEW, [organizationId, id, sealed]);
  const target = { type: 'webhook', id, name: NAME };
  await audit(tx, { action: 'webhook.rotated', target });
  return secret;
}

function knownEvents(names: readonly string[]): readonly WebhookEventType[] {
  const known = WEBHOOK_EVENT_TYPES.filter((type) => names.includes(type));
  const unknown = names.find((name) => !known.some((type) => type === name));
  if (unknown === undefined && known.length > 0) return known;
  const message = `There is no event "${unknown ?? ''}". The events are ${WEBHOOK_EVENT_TYPES.join(', ')}.`;
  throw validation([{ path: 'events', rule: 'enum', allowed: WEBHOOK_EVENT_TYPES, message }]);
}

/**
 * @returns false if the listener was ended meanwhile
 */
export async function noteHeard(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql.rows(
    `update webhook_endpoints set heard_at = now()
     where organization_id = $1 and id = $2 and kind = 'listener' and deleted_at is null returning 1`,
    [organizationId, id],
  );
  return rows.length > 0;
}

const OLD = `
  select organization_id as "organizationId", id from webhook_endpoints
  where kind = 'listener' and deleted_at is null and heard_at < $1 order by id limit 100`;

const END = `
  update webhook_endpoints set deleted_at = $3, revision = revision + 1
  where organization_id = $1 and id = $2 and deleted_at is null and heard_at < $4 returning 1`;

/**
 * Ends listeners that no one has started for a week; what is held for them ends as for any deleted endpoint. Safe to
 * repeat.
 *
 * @returns how many were ended
 */
export async function endOldListeners(
  database: Pick<Database, 'app' | 'system'>,
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - SILENT_DAYS * DAY_MS);
  let ended = 0;
  for (;;) {
    const old = await asSystem(database, (sql) =>
      sql.rows<{ organizationId: string; id: string }>(OLD, [before], 'old-listeners'),
    );
    if (old.length === 0) return ended;
    for (const { organizationId, id } of old) {
      ended += await inWorkspace(database, organizationId, async (sql) => {
        const rows = await sql.rows(END, [organizationId, id, now, before]);
        const facts = rows.map(() => commandFact('endpoint.changed', { endpointId: id }));
        await insertFacts(sql, organizationId, facts);
        return rows.length;
      });
    }
  }
}
