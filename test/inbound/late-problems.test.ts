import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { changeNumber } from '../../src/campaigns/states/number-changes.ts';
import type { Context } from '../../src/context.ts';
import { STAMP_MS } from '../../src/gateway/port.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

/** A number, and what posts a problem of it. */
async function withNumber() {
  const { ctx } = await aWorkspace(stage.database);
  const { id, phoneNumberId } = await aNumber(ctx);
  const tell = (code: number): Promise<unknown> => {
    const value = { metadata: { phone_number_id: phoneNumberId }, errors: [{ code }] };
    const changes = [{ field: 'messages', value }];
    return stage.post({ object: 'whatsapp_business_account', entry: [{ id: 'late', changes }] });
  };
  return { ctx, id, tell };
}

/** A number of which WhatsApp has posted a problem that nobody has read yet. */
async function withProblem(code: number): Promise<{ ctx: Context; id: string }> {
  const { tell, ...number } = await withNumber();
  await tell(code);
  return number;
}

const standing = (ctx: Context, id: string): Promise<unknown> =>
  rowsOf(ctx, 'select status, status_reason from numbers where id = $1', [id]);

const UP = [{ status: 'connected', status_reason: null }];

it('leaves up a number that a person connected after WhatsApp had posted its problem', async () => {
  const { ctx, id } = await withProblem(190);
  await stage.later(3_600);
  await connectNumber({ ...ctx, now: new Date() }, id, { accessToken: 'new' }, testKeyring);

  await stage.process();

  expect(await standing(ctx, id)).toEqual(UP);
});

it('leaves up a number that was put back after WhatsApp had posted its suspension', async () => {
  const { ctx, id } = await withProblem(368);
  await stage.later(3_600);
  await changeNumber({ ...ctx, now: new Date() }, id, { cause: 'restricted' });
  await connectNumber({ ...ctx, now: new Date() }, id, {}, testKeyring);

  await stage.process();

  expect(await standing(ctx, id)).toEqual(UP);
});

it.each([
  [190, UP],
  [368, [{ status: 'suspended', status_reason: 'whatsapp_368' }]],
])('after %i leaves a number with another token as %j', async (code, left) => {
  const { ctx, id } = await withProblem(code);
  await sleep(STAMP_MS + 100);
  await connectNumber({ ...ctx, now: new Date() }, id, { accessToken: 'new' }, testKeyring);

  await stage.process();

  expect(await standing(ctx, id)).toEqual(left);
});

it.each([
  [190, UP],
  [368, [{ status: 'suspended', status_reason: 'whatsapp_368' }]],
])('after %i, shortly after its number got another token, leaves it as %j', async (code, left) => {
  const { ctx, id, tell } = await withNumber();
  await connectNumber({ ...ctx, now: new Date() }, id, { accessToken: 'new' }, testKeyring);
  await sleep(STAMP_MS + 100);

  await tell(code);
  await stage.process();

  expect(await standing(ctx, id)).toEqual(left);
});

it('takes down a number that was only slowed since WhatsApp posted its problem', async () => {
  const { ctx, id } = await withProblem(190);
  await changeNumber({ ...ctx, now: new Date(Date.now() + 2_000) }, id, { cause: 'throttled' });

  await stage.process();

  expect(await standing(ctx, id)).toEqual([
    { status: 'disconnected', status_reason: 'whatsapp_190' },
  ]);
});

it('puts back a number whose ban and its end are told late, though it was slowed before', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const { id } = await aNumber(ctx, { businessAccountId: '93' });
  await longUp(ctx, id);
  const now = new Date(Date.now() - 300_000);
  await changeNumber({ ...ctx, now }, id, { cause: 'throttled' });

  await banTold('93', 'DISABLE', 600);
  const disabled = await standing(ctx, id);
  await banTold('93', 'REINSTATE', 420);

  expect(disabled).toEqual([{ status: 'suspended', status_reason: 'disabled_update' }]);
  expect(await standing(ctx, id)).toEqual(UP);
});

/** As if it had been added an hour ago, when the log tells of nothing. */
async function longUp(ctx: Context, id: string): Promise<void> {
  const upSince = "update numbers set status_changed_at = now() - interval '1 hour' where id = $1";
  await rowsOf(ctx, upSince, [id]);
  const log = 'alter table audit_entries';
  await stage.owner(`${log} no force row level security;
    delete from audit_entries where target->>'id' = '${id}'; ${log} force row level security`);
}

/** WhatsApp tells of an account's ban, so many seconds after it. */
async function banTold(account: string, state: string, late: number): Promise<void> {
  const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } };
  const changes = [{ field: 'account_update', value }];
  const entry = [{ id: account, time: Math.floor(Date.now() / 1_000) - late, changes }];
  await stage.post({ object: 'whatsapp_business_account', entry });
  await stage.process();
}
