import { requirePermission } from '../../access/actor.ts';
import type { Scope } from '../../access/scopes.ts';
import { type AuditValue, changesBetween } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context, ReadContext } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { AppError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { RECENT_SIGN_IN_MS, signedInRecently } from '../../people/sessions.ts';
import { SECRET_PREFIX, secretHash } from '../clients/clients.ts';
import { newSecret, typeOf } from '../clients/registration.ts';
import { addsHost, SECRET_OVERLAP_MS, type Verification } from '../rules.ts';
import { checkApp, type NewApp } from './input.ts';

/** An app as the developer settings show it, without its secret. */
export interface AppRecord {
  /** `app_…`, the client id. */
  readonly id: string;
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly verification: Verification;
  readonly data_use: string | null;
  /** Why a review was refused. */
  readonly review_note: string | null;
  readonly reviewed_at: string | null;
  /** The first characters, to tell two secrets apart. */
  readonly secret_prefix: string;
  /** Until when the secret before the last rotation also works; null if it does not. */
  readonly previous_secret_valid_until: string | null;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** An app as it is stored. */
export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly metadata: { readonly redirect_uris: readonly string[] };
  readonly scopes: readonly Scope[];
  readonly verification: Verification;
  readonly data_use: string | null;
  readonly review_note: string | null;
  readonly reviewed_at: Date | null;
  readonly secret_prefix: string;
  readonly previous_valid_until: Date | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const APP = `select id, name, metadata, scopes, verification, data_use, review_note, reviewed_at, secret_prefix,
  previous_valid_until, created_by, created_at, last_used_at from oauth_clients where organization_id = $1`;

/**
 * Registers an app, for Owners and Admins (specification, Registering an app). The secret is shown only in this
 * answer. Throws 422 with every problem.
 */
export async function createApp(
  ctx: Context,
  input: NewApp,
): Promise<{ id: string; secret: string }> {
  requirePermission(ctx.actor, 'developers.manage');
  const { name, redirectUris, scopes } = checkApp(input);
  const id = newId('app');
  const secret = newSecret();
  return transact(ctx, async (tx) => {
    await tx.sql.rows(
      `insert into oauth_clients (id, organization_id, source, name, metadata, scopes, secret_hash, secret_prefix, created_by, created_at)
       values ($1, $2, 'app', $3, $4, $5, $6, $7, $8, $9)`,
      [
        id,
        tx.organizationId,
        name,
        JSON.stringify(metadataOf(name, redirectUris)),
        scopes,
        secretHash(secret),
        secret.slice(0, SECRET_PREFIX),
        tx.actor.id ?? tx.actor.name,
        tx.now,
      ],
    );
    const to = { redirect_uris: redirectUris, scopes };
    await audit(tx, {
      action: 'app.created',
      target: { type: 'app', id, name },
      changes: changesBetween({}, to as Record<string, AuditValue>),
    });
    return { id, secret };
  });
}

/** A confidential client with PKCE (specification, Registering an app). */
const metadataOf = (name: string, redirectUris: readonly string[]): object => ({
  client_name: name,
  redirect_uris: redirectUris,
  application_type: typeOf(redirectUris),
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
});

/** The workspace's own apps, newest first. */
export async function listApps(ctx: ReadContext): Promise<AppRecord[]> {
  requirePermission(ctx.actor, 'developers.read');
  const rows = await ctx.sql.rows<AppRow>(`${APP} order by id desc`, [ctx.organizationId]);
  return rows.map((row) => recordOf(row, ctx.now));
}

/** Throws 404. */
export async function getApp(ctx: ReadContext, id: string): Promise<AppRecord> {
  requirePermission(ctx.actor, 'developers.read');
  const row = await first<AppRow>(ctx.sql, `${APP} and id = $2`, [ctx.organizationId, id]);
  if (!row) throw notFound('app');
  return recordOf(row, ctx.now);
}

const recordOf = (row: AppRow, now: Date): AppRecord => ({
  id: row.id,
  name: row.name,
  redirect_uris: row.metadata.redirect_uris,
  scopes: row.scopes,
  verification: row.verification,
  data_use: row.data_use,
  review_note: row.review_note,
  reviewed_at: row.reviewed_at?.toISOString() ?? null,
  secret_prefix: row.secret_prefix,
  previous_secret_valid_until:
    row.previous_valid_until && row.previous_valid_until > now
      ? row.previous_valid_until.toISOString()
      : null,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

/**
 * Changes name, redirect URIs and scopes. A verified app becomes unverified when it redirects to another host
 * (specification), or gets another name, because people recognise it by that. One in review stays there: what is verified
 * is only what was looked at.
 */
export async function changeApp(ctx: Context, id: string, input: NewApp): Promise<void> {
  requirePermission(ctx.actor, 'developers.manage');
  const { name, redirectUris, scopes } = checkApp(input);
  await transact(ctx, async (tx) => {
    const app = await lockApp(tx, id);
    const before = app.metadata.redirect_uris;
    const another = name !== app.name || addsHost(before, redirectUris);
    const verification =
      another && app.verification === 'verified' ? 'unverified' : app.verification;
    await tx.sql.rows(
      `update oauth_clients set name = $3, metadata = $4, scopes = $5, verification = $6
       where organization_id = $1 and id = $2`,
      [
        tx.organizationId,
        id,
        name,
        JSON.stringify(metadataOf(name, redirectUris)),
        scopes,
        verification,
      ],
    );
    const from = { name: app.name, redirect_uris: before, scopes: app.scopes };
    const to = { name, redirect_uris: redirectUris, scopes, verification };
    await audit(tx, {
      action: 'app.changed',
      target: { type: 'app', id, name },
      changes: changesBetween(
        { ...from, verification: app.verification } as Record<string, AuditValue>,
        to as Record<string, AuditValue>,
      ),
    });
  });
}

/** The row, locked; throws 404. */
export async function lockApp(tx: Context, id: string): Promise<AppRow> {
  const app = await first<AppRow>(tx.sql, `${APP} and id = $2 for update`, [tx.organizationId, id]);
  if (!app) throw notFound('app');
  return app;
}

/** How the old secret ends, and when the person signed in. */
export interface SecretRotation {
  readonly signedInAt: Date;
  /** Whether the old secret stops now rather than in 24 hours. */
  readonly revokePrevious?: boolean;
}

/**
 * Makes a new secret, shown only in this answer; the old one works for 24 more hours unless it is revoked at once
 * (specification, Registering an app). Throws 403 if the person signed in more than 10 minutes ago.
 */
export async function rotateAppSecret(
  ctx: Context,
  id: string,
  { signedInAt, revokePrevious = false }: SecretRotation,
): Promise<{ secret: string; previous_secret_valid_until: string | null }> {
  requirePermission(ctx.actor, 'developers.manage');
  if (!signedInRecently({ signedInAt }, ctx.now))
    throw new AppError(
      'forbidden',
      'Sign in again first: this needs a sign-in of the last 10 minutes.',
      {
        max_age_s: RECENT_SIGN_IN_MS / 1_000,
      },
    );
  const secret = newSecret();
  return transact(ctx, async (tx) => {
    const app = await lockApp(tx, id);
    const until = revokePrevious ? null : new Date(+tx.now + SECRET_OVERLAP_MS);
    await tx.sql.rows(
      `update oauth_clients set secret_hash = $3, secret_prefix = $4, previous_valid_until = $5,
         previous_secret_hash = case when $5::timestamptz is null then null else secret_hash end
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, secretHash(secret), secret.slice(0, SECRET_PREFIX), until],
    );
    await audit(tx, {
      action: 'app.secret_rotated',
      target: { type: 'app', id, name: app.name },
      changes: [{ field: 'previous_valid_until', from: null, to: until?.toISOString() ?? null }],
    });
    return { secret, previous_secret_valid_until: until?.toISOString() ?? null };
  });
}
