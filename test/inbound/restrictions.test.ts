import { expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const stage = opened(openInboundStage);

const DAY = 86_400;
const seconds = (from = 0): number => Math.floor(Date.now() / 1_000) + from;

const posted = async (account: string, value: object): Promise<void> => {
  const changes = [{ field: 'account_update', value }];
  const entry = [{ id: account, time: seconds(), changes }];
  await stage.post({ object: 'whatsapp_business_account', entry });
  await stage.process();
};

const restricted = (...restrictions: [kind: string, expiration?: number | string][]) => ({
  event: 'ACCOUNT_RESTRICTION',
  restriction_info: restrictions.map(([kind, expiration]) => ({
    restriction_type: `RESTRICTED_${kind}`,
    expiration,
  })),
});

const BANNED = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } };
const INITIATED = 'BIZ_INITIATED_MESSAGING';

const standing = async ({ ctx, account }: Made): Promise<unknown[]> => {
  const [row] = await rowsOf<{ status: string; why: string | null }>(
    ctx,
    'select status, status_reason as why from numbers where business_account_id = $1',
    [account],
  );
  return [row?.status, row?.why];
};

interface Made {
  readonly ctx: Context;
  readonly account: string;
}

/** The only number of an account. */
async function ofAccount(account: string): Promise<Made> {
  const { ctx } = await aWorkspace(stage.database);
  await aNumber(ctx, { businessAccountId: account });
  return { ctx, account };
}

/** What the health sweep makes of it so many days from now. */
async function inDays(days: number, made: Made): Promise<unknown[]> {
  await runUpkeep({
    workflow: 'checkNumbers',
    history: 'check-numbers',
    database: stage.database,
    now: new Date(Date.now() + days * DAY * 1_000),
  });
  return standing(made);
}

const iso = (at: number): string => new Date(at * 1_000).toISOString();

it.each([
  ['in seconds', (at: number) => at],
  ['as a date', iso],
])('a restriction of three days, told %s, is lifted when it ends', async (words, told) => {
  const made = await ofAccount(`61${words.length}`);
  const ends: [string, (number | string)?][] = [
    [INITIATED, told(seconds(DAY))],
    ['CUSTOMER_INITIATED_MESSAGING', told(seconds(3 * DAY))],
    ['ADD_PHONE_NUMBER_ACTION', told(seconds(9 * DAY))],
  ];

  await posted(made.account, restricted(...ends));

  expect(await inDays(2.9, made)).toEqual(['suspended', 'account_restriction']);
  expect(await inDays(3.1, made)).toEqual(['connected', null]);
});

it('a restriction that was over before it was told suspends nobody', async () => {
  const made = await ofAccount('621');

  await posted(made.account, restricted([INITIATED, seconds(-60)]));

  expect(await standing(made)).toEqual(['connected', null]);
});

it('one without an end is for a person to lift, and so is a ban that came meanwhile', async () => {
  const endless = await ofAccount('631');
  const banned = await ofAccount('632');

  await posted(endless.account, restricted([INITIATED], [INITIATED, seconds(DAY)]));
  await posted(banned.account, restricted([INITIATED, seconds(DAY)]));
  await posted(banned.account, BANNED);

  expect(await inDays(30, endless)).toEqual(['suspended', 'account_restriction']);
  expect(await standing(banned)).toEqual(['suspended', 'account_restriction']);
});

it('a refusal that is told meanwhile (368) leaves a restriction its end', async () => {
  const made = await ofAccount('651');
  const [number] = await rowsOf<{ phone_number_id: string }>(
    made.ctx,
    'select phone_number_id from numbers',
  );
  const value = { metadata: number, errors: [{ code: 368 }] };
  const changes = [{ field: 'messages', value }];

  await posted(made.account, restricted([INITIATED, seconds(DAY)]));
  await stage.post({
    object: 'whatsapp_business_account',
    entry: [{ id: made.account, time: seconds(), changes }],
  });
  await stage.process();

  expect(await inDays(1.1, made)).toEqual(['connected', null]);
});

it.each([
  ['whatsapp_368', 'connected', null],
  ['whatsapp_131042', 'suspended', 'whatsapp_131042'],
])(
  'a number that a send found suspended (%s) before is %s at the end',
  async (why, status, left) => {
    const made = await ofAccount(`64${why.replaceAll(/\D/g, '')}`);
    await rowsOf(
      made.ctx,
      `update numbers set status = 'suspended', status_reason = $1, status_changed_at = now()`,
      [why],
    );

    await posted(made.account, restricted([INITIATED, seconds(DAY)]));

    expect(await inDays(1.1, made)).toEqual([status, left]);
  },
);
