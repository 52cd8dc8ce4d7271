import { requirePermission } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { asSystem, type Database } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { AppError, invalidState, validation } from '../../errors.ts';
import { fingerprintOf } from '../../http/idempotency.ts';
import { REVIEW_AGAIN_MS, type Verification } from '../rules.ts';
import { type AppRow, lockApp } from './service.ts';

const MAX_DATA_USE = 2_000;

/**
 * Asks the service's team to verify an app, with a description of how it uses data (specification, OAuth app
 * verification). Throws 409 during or after a successful review, and within 7 days of a refusal.
 */
export async function requestReview(ctx: Context, id: string, dataUse: string): Promise<void> {
  requirePermission(ctx.actor, 'developers.manage');
  const described = dataUse.trim();
  if (described === '' || [...described].length > MAX_DATA_USE) {
    const message = `Describe in 1 to ${MAX_DATA_USE} characters how the app uses data.`;
    throw validation([{ path: 'data_use', rule: 'length', limit: MAX_DATA_USE, message }]);
  }
  await transact(ctx, async (tx) => {
    const app = await lockApp(tx, id);
    if (app.verification !== 'unverified' && app.verification !== 'rejected')
      throw invalidState(app.verification, ['unverified', 'rejected']);
    const again = app.verification === 'rejected' ? +(app.reviewed_at ?? 0) + REVIEW_AGAIN_MS : 0;
    if (+tx.now < again)
      throw new AppError('conflict', 'A review can be asked for again 7 days after a refusal.', {
        possible_at: new Date(again).toISOString(),
      });
    await setVerification(tx, id, 'in_review', { dataUse: described, note: app.review_note });
    await audit(tx, {
      action: 'app.review_requested',
      target: { type: 'app', id, name: app.name },
      changes: [{ field: 'verification', from: app.verification, to: 'in_review' }],
    });
  });
}

/** What the service's team decided. */
export type ReviewResult =
  | {
      readonly verified: true;
      /** {@link WaitingApp.mark} of what was looked at. */
      readonly mark: string;
    }
  | {
      readonly verified: false;
      /** Why; shown to the workspace. */
      readonly note?: string | undefined;
    };

/**
 * Records the decision of the service's team (design decisions §25). Throws 409 if the app waits for none, and if what
 * would be verified is no longer what was looked at.
 *
 * @param ctx bound to the app's workspace
 */
export async function answerReview(
  ctx: Context,
  id: string,
  answer: ReviewResult,
): Promise<Verification> {
  const result = answer.verified ? 'verified' : 'rejected';
  return transact(ctx, async (tx) => {
    const app = await lockApp(tx, id);
    if (app.verification !== 'in_review') throw invalidState(app.verification, ['in_review']);
    if (answer.verified && answer.mark !== markOf(shownOf(app)))
      throw new AppError('conflict', 'The app was changed since: look at it again.');
    const note = answer.verified ? null : (answer.note ?? null);
    await setVerification(tx, id, result, { dataUse: app.data_use, note });
    await audit(tx, {
      action: 'app.reviewed',
      target: { type: 'app', id, name: app.name },
      changes: [{ field: 'verification', from: 'in_review', to: result }],
    });
    return result;
  });
}

const setVerification = (
  tx: Context,
  id: string,
  verification: Verification,
  { dataUse, note }: { dataUse: string | null; note: string | null },
): Promise<unknown[]> =>
  tx.sql.rows(
    `update oauth_clients set verification = $3, data_use = $4, review_note = $5,
       reviewed_at = case when $3 in ('verified', 'rejected') then $6::timestamptz else reviewed_at end
     where organization_id = $1 and id = $2`,
    [tx.organizationId, id, verification, dataUse, note, tx.now],
  );

/** The workspace that owns the app; null for one that is unknown or registered itself. */
export const workspaceOfApp = (
  database: Pick<Database, 'system'>,
  id: string,
): Promise<string | null> =>
  asSystem(database, async (sql) => {
    const app = await first<{ organization_id: string | null }>(
      sql,
      'select organization_id from oauth_clients where id = $1',
      [id],
    );
    return app?.organization_id ?? null;
  });

/** What a review is about: what people will take the app for. */
interface Shown {
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly data_use: string;
}

/** An app that waits for a review. */
export interface WaitingApp extends Shown {
  readonly id: string;
  readonly workspace: string;
  /** Names this very state of the app, so that nothing else is verified. */
  readonly mark: string;
}

const shownOf = (app: AppRow): Shown => ({
  name: app.name,
  redirect_uris: app.metadata.redirect_uris,
  scopes: app.scopes,
  data_use: app.data_use ?? '',
});

/** Not shortened: an owner who finds two apps with one mark gets the one verified that nobody looked at. */
const markOf = ({ name, redirect_uris, scopes, data_use }: Shown): string =>
  fingerprintOf([name, redirect_uris, scopes, data_use]).toString('hex');

/** The apps waiting for a review in all workspaces, oldest app first. */
export const appsInReview = (database: Pick<Database, 'system'>): Promise<WaitingApp[]> =>
  asSystem(database, async (sql) => {
    const apps = await sql.rows<AppRow & { readonly workspace: string }>(
      `select c.id, w.name as workspace, c.name, c.metadata, c.scopes, c.data_use from oauth_clients c
       join workspaces w on w.organization_id = c.organization_id
       where c.verification = 'in_review' order by c.id`,
    );
    return apps.map((app) => {
      const shown = shownOf(app);
      return { id: app.id, workspace: app.workspace, ...shown, mark: markOf(shown) };
    });
  });
