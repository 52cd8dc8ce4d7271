import { describe, expect, it } from '@jest/globals';
import { addConfirmed, connectConfirmed } from '../../src/numbers/confirming.ts';
import type { NewNumber } from '../../src/numbers/service.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { auditActions, rowsOf } from '../support/rows-of.ts';
import { openConfirmedNumbers } from './support/connecting.ts';

/** The account of the simulator. */
const ACCOUNT = '100000000000001';

const open = opened(openConfirmedNumbers);

describe('a number of the Cloud API', () => {
  it('is added with the business account that WhatsApp names, if id, token and phone are its own', async () => {
    const number = await open.add({ phone: '+5511987654321', phoneNumberId: '551187654321' });

    expect(number).toMatchObject({ status: 'connected', businessAccountId: ACCOUNT });
  });

  it.each<[string, Partial<NewNumber>, string, RegExp]>([
    [
      'an id that WhatsApp does not know',
      { phoneNumberId: '1234' },
      'phone_number_id',
      /does not exist/,
    ],
    [
      'the id of another phone',
      { phoneNumberId: '5511987654322' },
      'phone_number_id',
      /\+5511987654322, not of \+5511987654321/,
    ],
    [
      'a token that is over',
      { phone: '+5511980000190', phoneNumberId: '5511980000190' },
      'access_token',
      /expired.+whatsapp_business_management/,
    ],
    [
      'an empty token',
      { phoneNumberId: '5511987654321', accessToken: '' },
      'access_token',
      /expired/,
    ],
    [
      'a token that may not',
      { phone: '+5511980000200', phoneNumberId: '5511980000200' },
      'access_token',
      /whatsapp_business_messaging/,
    ],
    [
      'a locked account',
      { phone: '+5511980131031', phoneNumberId: '5511980131031' },
      'phone_number_id',
      /locked/,
    ],
    [
      'the account of another number',
      { phoneNumberId: '5511987654321', businessAccountId: '102290129340398' },
      'business_account_id',
      /belongs to the account 100000000000001/,
    ],
  ])('is not added with %s', async (_what, wishes, path, message) => {
    const before = await open.numbers();

    await expect(open.add(wishes)).rejects.toMatchObject({
      code: 'validation',
      details: [{ path, rule: 'unconfirmed', message: expect.stringMatching(message) }],
    });
    expect(await open.numbers()).toEqual(before);
  });

  it('is neither added nor connected while WhatsApp cannot be reached', async () => {
    const { id } = await aNumber(open.ctx, { provider: 'cloud_api', phone: '+5511987654324' });
    const before = await open.numbers();
    const given = { phoneNumberId: '5511987654324', accessToken: 'EAAG' };
    const away = { code: 'unavailable', message: expect.stringContaining('cannot be reached') };

    await expect(open.add(given, 'http://127.0.0.1:1')).rejects.toMatchObject(away);
    await expect(open.connect(id, given, 'http://127.0.0.1:1')).rejects.toMatchObject(away);
    expect(await open.numbers()).toEqual(before);
  });

  it('is connected again with what is stored, and learns its business account', async () => {
    const phone = '+5511987654325';
    const { id } = await aNumber(open.ctx, {
      provider: 'cloud_api',
      phone,
      phoneNumberId: '5511987654325',
      accessToken: 'EAAG',
      businessAccountId: '1',
    });
    await rowsOf(open.ctx, "update numbers set status = 'disconnected' where id = $1", [id]);

    expect(await open.connect(id, {})).toMatchObject({
      status: 'connected',
      businessAccountId: ACCOUNT,
    });
    expect((await auditActions(open.ctx, id)).slice(1)).toEqual(['number.connected']);
  });

  it('stays as it was where it is connected with what is not its own', async () => {
    const phone = '+5511987654326';
    const { id } = await aNumber(open.ctx, { provider: 'cloud_api', phone });
    const before = await open.numbers();
    const accessToken = 'EAAG';
    const given = { phoneNumberId: '5511987654327', accessToken };

    await expect(open.connect(id, given)).rejects.toMatchObject({
      details: [{ path: 'phone_number_id', rule: 'unconfirmed' }],
    });
    // What we know ourselves is said before WhatsApp is asked.
    for (const wrong of ['EA\nAG', 'EAAG…'])
      await expect(open.connect(id, { ...given, accessToken: wrong })).rejects.toMatchObject({
        details: [{ path: 'access_token', rule: 'format' }],
      });
    await expect(
      open.connect(id, { accessToken, businessAccountId: 'mine' }, 'http://127.0.0.1:1'),
    ).rejects.toMatchObject({ details: [{ path: 'business_account_id', rule: 'format' }] });
    await expect(open.connect(id, { accessToken }, 'http://127.0.0.1:1')).rejects.toMatchObject({
      details: [{ path: 'phone_number_id', rule: 'required' }],
    });
    expect(await open.numbers()).toEqual(before);
  });
});

it('is not asked about numbers that it does not know', async () => {
  const whatsapp = (): never => {
    throw new TypeError('it was asked');
  };
  const parts = { keyring: testKeyring, whatsapp };
  const given = { name: 'Teste', phone: '+5511987654328' };
  const added = await Promise.all(
    (['sandbox', 'paired', 'cloud_api'] as const).map((provider) =>
      addConfirmed(open.ctx, { ...given, provider }, parts),
    ),
  );
  const ids = added.map(({ id }) => id);
  await rowsOf(open.ctx, "update numbers set status = 'error' where id = any($1)", [
    ids.slice(0, 2),
  ]);

  const connected = [];
  for (const id of ids.slice(0, 2)) connected.push(await connectConfirmed(open.ctx, id, {}, parts));

  expect(added.map(({ status }) => status)).toEqual(['connected', 'provisioning', 'provisioning']);
  expect(connected.map(({ status }) => status)).toEqual(['connected', 'provisioning']);
});
