import { createHash } from 'node:crypto';
import {
  type Adapter,
  type AdapterPayload,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { first } from '../../db/sql.ts';
import { findClient, insertRegistered } from '../clients/clients.ts';
import { endGrant } from '../tokens/grants.ts';
import { currentExchange } from './exchange.ts';
import { openAnswer, REPEAT_S } from './repeats.ts';

/**
 * Given to the library instead of a secret, which is stored only as a hash; the library requires one for confidential
 * clients.
 */
const PLACEHOLDER = 'kept-as-a-hash';

interface ArtifactRow {
  readonly payload: AdapterPayload;
  readonly consumed_at: Date | null;
  /** Consumed so long ago that using it again does not count as a repeat. */
  readonly past: boolean;
  readonly answer: string | null;
}

export const keyOf = (model: string, id: string): string =>
  model === 'Grant' ? id : createHash('sha256').update(id).digest('hex');

/** The library's storage in PostgreSQL: codes, tokens and requests by their hashes, clients, grants. */
export function adapterOf(model: string): Adapter {
  if (model === 'Client') return clients;
  if (model === 'Session') return nothing;
  return new Artifacts(model);
}

/** The library's own session is not used: only ours says who is signed in. */
const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

const clients: Adapter = {
  ...nothing,
  upsert: async (id, payload) => {
    const { api_scope: asked, ...metadata } = payload as Record<string, unknown>;
    const scopes = typeof asked === 'string' && asked !== '' ? asked.split(' ') : [];
    await insertRegistered(currentExchange().sql, id, metadata, scopes);
  },
  find: async (id) => {
    const client = await findClient(currentExchange().sql, id);
    if (!client) return undefined;
    const scope = client.scopes.length > 0 ? { api_scope: client.scopes.join(' ') } : {};
    const secret = client.secret_hash ? { client_secret: PLACEHOLDER } : {};
    return { ...client.metadata, ...scope, ...secret, client_id: client.id } as AdapterPayload;
  },
};

class Artifacts implements Adapter {
  readonly model: string;
  constructor(model: string) {
    this.model = model;
  }

  async upsert(id: string, { jti: _jti, ...payload }: AdapterPayload, expiresIn?: number) {
    await currentExchange().sql.rows(
      `insert into oauth_artifacts (model, key, payload, grant_id, expires_at)
       values ($1, $2, $3, $4, now() + $5 * interval '1 second')
       on conflict (model, key) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
      [
        this.model,
        keyOf(this.model, id),
        JSON.stringify(payload),
        payload.grantId ?? null,
        expiresIn ?? null,
      ],
      'oauth-artifact-keep',
    );
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { presented, arrived } = currentExchange();
    if (presented?.handle === id)
      return this.model === 'AccessToken' ? (presented.payload as AdapterPayload) : undefined;
    const row = await this.#row(id);
    if (!row) return undefined;
    const { payload, consumed_at: consumedAt } = row;
    const used = this.model === 'RefreshToken' ? row.past : consumedAt && consumedAt < arrived;
    const consumed = used && consumedAt ? { consumed: Math.floor(+consumedAt / 1_000) } : {};
    return { ...payload, jti: id, ...consumed };
  }

  findByUid = nothing.findByUid;
  findByUserCode = nothing.findByUserCode;
  // Codes and tokens end with their grant. Revoking an access token ends nothing else: with its refresh token gone, the
  // app would still be listed.
  revokeByGrantId = nothing.revokeByGrantId;

  /** Whoever changes the row consumes it. Concurrent uses wait for that transaction, and then see its outcome. */
  async consume(id: string): Promise<void> {
    const exchange = currentExchange();
    const [won] = await exchange.sql.rows(
      `update oauth_artifacts set consumed_at = clock_timestamp()
       where model = $1 and key = $2 and consumed_at is null returning key`,
      [this.model, keyOf(this.model, id)],
      'oauth-artifact-consume',
    );
    if (won && this.model === 'RefreshToken') exchange.consumed = id;
    if (won) return;
    if (this.model === 'RefreshToken') await this.#repeat(id);
    throw new errors.InvalidGrant(`${this.model} already used`);
  }

  /** A client that lost the answer, or asked twice at once, gets the first answer again. */
  async #repeat(id: string): Promise<void> {
    const row = await this.#row(id);
    if (!row?.answer || row.past) return;
    currentExchange().repeated = openAnswer(
      id,
      keyOf(this.model, id),
      askedFor(Provider.ctx),
      row.answer,
    );
  }

  #row(id: string): Promise<ArtifactRow | null> {
    return first<ArtifactRow>(
      currentExchange().sql,
      `select payload, consumed_at, answer,
         coalesce(consumed_at < clock_timestamp() - interval '${REPEAT_S} seconds', false) as past
       from oauth_artifacts where model = $1 and key = $2
         and (expires_at is null or expires_at > now() - interval '1 minute')`,
      [this.model, keyOf(this.model, id)],
      'oauth-artifact-find',
    );
  }

  async destroy(id: string): Promise<void> {
    const exchange = currentExchange();
    exchange.ended = true;
    if (this.model === 'Grant') {
      const grant = await endGrant(exchange.sql, id);
      if (grant) exchange.endedGrants.push(grant);
      return;
    }
    if (this.model === 'AccessToken' && exchange.presented?.jti === id) return deny(id);
    // It ends with its grant, whose connection is locked first, as by whoever disconnects the app.
    if (this.model === 'RefreshToken') return;
    await exchange.sql.rows('delete from oauth_artifacts where model = $1 and key = $2', [
      this.model,
      keyOf(this.model, id),
    ]);
  }
}

/** The parameters that must be the same for a request to count as a repeat. */
export function askedFor(ctx: KoaContextWithOIDC | undefined): string {
  const { scope = null, resource = null } = ctx?.oidc?.params ?? {};
  return JSON.stringify([scope, resource]);
}

async function deny(jti: string): Promise<void> {
  const { sql, presented } = currentExchange();
  await sql.rows(
    `insert into oauth_denied_tokens (jti, expires_at) values ($1, to_timestamp($2)) on conflict do nothing`,
    [jti, presented?.expiresAt ?? 0],
  );
}
