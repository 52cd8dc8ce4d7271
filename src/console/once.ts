import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../errors.ts';
import { begin, fingerprintOf, forget, type KeyedCall, keep, once } from '../http/idempotency.ts';
import {
  type Action,
  type Answer,
  type Done,
  field,
  type OnceAction,
  type Page,
  SHOWING_FIELD,
} from './page.ts';

const LOOK_AGAIN_MS = 200;
const LOOKS = 25;

/**
 * Performs an action. One that is done `once` is not performed again for the same form of the same page, filled in the
 * same way: after a double click the browser shows the answer to the second one, which is that of the first. A refusal
 * is not kept, so the form can be sent again.
 */
export async function perform(page: Page<Context>, action: Action): Promise<Done | Answer> {
  if (!action.once || field(page, SHOWING_FIELD) === '') return action.run(page);
  return action.once === 'apart' ? performApart(page, action) : performWithin(page, action);
}

async function performWithin(page: Page<Context>, action: OnceAction): Promise<Done> {
  const { ctx, parts } = page;
  const doing = {
    keyring: parts.keyring,
    mayRepeat: (): void => {},
    run: async (tx: Context) => {
      const done = await action.run({ ...page, ctx: { ...tx, actor: ctx.actor } });
      return { status: 200, body: JSON.stringify(done) };
    },
    answerFor: (error: unknown): never => {
      throw error;
    },
  };
  const call = keyed(page);
  const { body } = await afterTheOther(() => transact(ctx, (tx) => once(tx, call, doing)));
  return JSON.parse(body) as Done;
}

/** Its form is marked as being worked on in a transaction before it, and the answer kept in one after it. */
async function performApart(page: Page<Context>, action: OnceAction): Promise<Done> {
  const { ctx, parts } = page;
  const call = keyed(page);
  const kept = await afterTheOther(() => transact(ctx, (tx) => begin(tx, call, parts.keyring)));
  if (kept) return JSON.parse(kept.body) as Done;
  try {
    const done = await action.run(page);
    const answer = { status: 200, body: JSON.stringify(done) };
    await transact(ctx, (tx) => keep(tx, call, parts.keyring, answer));
    return done;
  } catch (error) {
    // Its own failure would hide why; the form of the page, shown again, is another one.
    await transact(ctx, (tx) => forget(tx, call)).catch(() => {});
    throw error;
  }
}

function keyed({ ctx, session, path, sent, file }: Page<Context>): KeyedCall {
  const fingerprint = fingerprintOf([path, [...sent], file?.sha256.toString('hex')]);
  return {
    key: fingerprint.toString('base64url'),
    credentialId: session.id,
    requestId: ctx.request?.id ?? '',
    fingerprint,
    // It may hold a new API key.
    secret: true,
  };
}

/** The first one may still be under way; this waits for it without holding a connection. */
async function afterTheOther<T>(work: () => Promise<T>): Promise<T> {
  for (let look = 1; ; look += 1) {
    try {
      return await work();
    } catch (error) {
      const isOn = error instanceof AppError && error.code === 'idempotency_in_progress';
      if (!isOn || look === LOOKS) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}
