import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import {
  APP_SECRET,
  aMessageWebhook,
  aPreferenceWebhook,
  aStatusWebhook,
  type InboundStage,
  openInboundStage,
  signatureOf,
  VERIFY_TOKEN,
} from '../support/inbound.ts';

let stage: InboundStage;
let phoneNumberId: string;

beforeAll(async () => {
  stage = await openInboundStage();
  const { ctx } = await aWorkspace(stage.database);
  phoneNumberId = (await aNumber(ctx)).phoneNumberId ?? '';
});

afterAll(() => stage.close());

let messages = 0;
const aBody = (): string => {
  messages += 1;
  return JSON.stringify(aMessageWebhook(phoneNumberId, { id: `wamid.receiving.${messages}` }));
};

const handshake = (mode: string, token: string): string =>
  new URLSearchParams({
    'hub.mode': mode,
    'hub.verify_token': token,
    'hub.challenge': '11588',
  }).toString();

describe('the handshake', () => {
  it('returns the challenge as text to a caller that knows the token', async () => {
    const { status, text, headers } = await stage.get(handshake('subscribe', VERIFY_TOKEN));

    expect([status, text]).toEqual([200, '11588']);
    expect(headers.get('content-type')).toContain('text/plain');
  });

  it('refuses another token, another mode and none', async () => {
    const answers = [
      await stage.get(handshake('subscribe', `${VERIFY_TOKEN}x`)),
      await stage.get(handshake('unsubscribe', VERIFY_TOKEN)),
      await stage.get('hub.mode=subscribe&hub.challenge=1'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(answers.some(({ text }) => text.includes('11588'))).toBe(false);
  });
});

const entriesOf = (webhook: object): unknown => Reflect.get(webhook, 'entry');

describe('a webhook', () => {
  it('is stored before it is answered, once for all its repetitions', async () => {
    const body = aBody();
    const before = (await stage.stored()).length;

    const first = await stage.post(body);
    const storedThen = (await stage.stored()).length;
    const repeated = await stage.post(body);

    expect([first.status, repeated.status]).toEqual([200, 200]);
    expect(storedThen).toBe(before + 1);
    expect(await stage.stored()).toHaveLength(before + 1);
  });

  it('is told of as reports only where nobody waits for what it says', async () => {
    const heard: string[] = [];
    stage.onStored = (news) => heard.push(news);
    const status = { id: 'wamid.told', status: 'delivered', key: 'msg_told' };
    const reports = aStatusWebhook(phoneNumberId, [status]);
    const message = aMessageWebhook(phoneNumberId, { id: 'wamid.with-reports' });

    await stage.post(reports);
    await stage.post({ ...reports, entry: [reports, message].flatMap(entriesOf) });
    await stage.post(aBody());
    await stage.post(aPreferenceWebhook(phoneNumberId, { waId: '5511900000001', value: 'stop' }));
    await stage.post({ ...reports, entry: [] });
    stage.onStored = () => {};

    expect(heard).toEqual(['reports', 'inbound', 'inbound', 'inbound', 'inbound']);
  });

  it('changes nothing, and is counted, without the right signature over its very bytes', async () => {
    const body = aBody();
    const hex = signatureOf(body).slice('sha256='.length);
    const sha1 = createHmac('sha1', APP_SECRET).update(body).digest('hex');
    const pretty = JSON.stringify(JSON.parse(body), null, 2);
    const before = await stage.stored();
    const countedBefore = stage.counts.refused_signature ?? 0;
    const wrong: Record<string, string>[] = [
      { 'x-hub-signature-256': '' },
      { 'x-hub-signature-256': signatureOf(body, 'another secret') },
      { 'x-hub-signature-256': signatureOf(pretty) },
      { 'x-hub-signature-256': `sha1=${sha1}` },
      { 'x-hub-signature-256': '', 'x-hub-signature': `sha1=${sha1}` },
      { 'x-hub-signature-256': hex },
      { 'x-hub-signature-256': `sha256=${hex.toUpperCase()}` },
      { 'x-hub-signature-256': `sha256=${hex.slice(0, 63)}` },
      { 'x-hub-signature-256': `sha256=${hex}0` },
    ];

    const statuses: number[] = [];
    for (const headers of wrong) statuses.push((await stage.post(body, headers)).status);

    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(stage.counts.refused_signature).toBe(countedBefore + wrong.length);
    expect(await stage.stored()).toEqual(before);
  });

  it('is refused with 400 when it is signed and no JSON', async () => {
    const broken = await stage.post('{"object":');
    const notUtf8 = Buffer.from([0x22, 0xff, 0xfe, 0x22]);
    const bytes = await stage.api.call('POST', '/webhooks/whatsapp', {
      body: notUtf8,
      headers: {
        'x-hub-signature-256': `sha256=${createHmac('sha256', APP_SECRET).update(notUtf8).digest('hex')}`,
      },
    });

    expect([broken.status, bytes.status]).toEqual([400, 400]);
  });

  it('is taken up to 3 MiB and refused above', async () => {
    const filled = (bytes: number): string => {
      const start = aBody().slice(0, -1);
      return `${start},"filler":"${'x'.repeat(bytes - start.length - 13)}"}`;
    };
    const limit = 3 * 1024 * 1024;

    const fits = await stage.post(filled(limit));
    const over = await stage.post(filled(limit + 1));

    expect([fits.status, over.status]).toEqual([200, 413]);
  });

  it('may only be posted', async () => {
    const answer = await stage.api.call('PUT', '/webhooks/whatsapp', { body: aBody() });

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });
});

it('nobody proves to be WhatsApp with an empty secret or an empty token', async () => {
  const unset = await openInboundStage({ appSecret: '', verifyToken: '' });
  try {
    const body = aBody();
    const posted = await unset.post(body, { 'x-hub-signature-256': signatureOf(body, '') });
    const shaken = await unset.get(handshake('subscribe', ''));

    expect([posted.status, shaken.status]).toEqual([401, 403]);
    expect(await unset.stored()).toEqual([]);
  } finally {
    await unset.close();
  }
});
