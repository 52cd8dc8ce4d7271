import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aMessageWebhook } from '../../support/inbound.ts';
import { aMember, standConnected } from '../../support/members.ts';
import type { Received } from '../../support/receiver.ts';
import { eventually } from '../../support/waiting.ts';
import type { Shop } from './support/scene.ts';
import { sendingScene } from './support/sending.ts';

const { out, scene, aShop, arrives, startRelay } = sendingScene({ relay: false });

const ODD = [
  'Olá, 👋🏽 família 👨‍👩‍👧‍👦 e 🇧🇷!',
  'linha\u2028parágrafo\u2029fim',
  'aspas " barra \\ e \\u0041 \\ud800 como texto',
  'tab\tlinha\nretorno\rsino\u0007apagar\u007f\u0085',
  '</script><!-- ]]> -->',
  '\ufeffmarca no início e \uffff no fim',
  'עברית ‏العربية‎ \u202eao contrário',
  'e\u0301 não é é',
  '\u{10ffff}\u{1f600}\u{2f800}',
  '   só espaços à volta   ',
  '👋'.repeat(4_096),
];

/** Any characters that text may have: neither NUL nor half a character. */
function anyText(): string {
  const ranges = [
    [1, 0x7f],
    [0x80, 0x7ff],
    [0x800, 0xd7ff],
    [0xe000, 0xffff],
    [0x10000, 0x10ffff],
  ] as const;
  const one = (): number => {
    const [from, to] = ranges[randomInt(ranges.length)] ?? ranges[0];
    return randomInt(from, to + 1);
  };
  return String.fromCodePoint(...Array.from({ length: randomInt(1, 200) }, one));
}

let shop: Shop;
let endpoint: { id: string; secret: string };
beforeAll(async () => {
  shop = await aShop();
  const member = await aMember(shop.ctx, {
    role: 'admin',
    visibility: 'teams',
    teams: ['Vendas'],
  });
  await standConnected(shop.ctx, member.id, member);
  endpoint = await anEndpoint(shop.ctx, `${out.receiver.origin}/crm`, ['message.received']);
  // Who sees a conversation is asked of the recorded bytes: what could not be read would stop everybody's.
  const narrow = {
    name: 'Equipe',
    url: 'https://hooks.example.com/x',
    events: ['message.received'],
  };
  expect((await shop.call('POST', '/webhooks', narrow, { key: member.token })).status).toBe(201);
});

const verified = ({
  body,
  headers,
}: Received): { id: string; data: { message: { text: string } } } =>
  new Webhook(endpoint.secret).verify(body, headers) as ReturnType<typeof verified>;

const write = (n: number, text: string): Promise<void> =>
  arrives(aMessageWebhook(shop.phoneNumberId, { id: `wamid.odd.${n}`, text }));

describe('the bytes of an event', () => {
  it('are those that were recorded, at every attempt and resend, whatever a person writes', async () => {
    const texts = [...ODD, ...Array.from({ length: 60 }, anyText), 'x'.repeat(200_000)];
    for (const [n, text] of texts.entries()) await write(n, text);
    const recorded = await shop.rows<{ id: string; payload: string }>(
      "select id, payload from facts where type = 'message.received' order by id",
    );
    await startRelay();
    await out.receiver.waitFor(texts.length, 60_000);
    const first = [...out.receiver.received];

    const kept = await shop.rows<{ id: string; body: string }>(
      'select id, body from events order by id',
    );
    expect(kept.map(({ body }) => body)).toEqual(recorded.map(({ payload }) => payload));
    const bodies = new Map(recorded.map(({ id, payload }) => [id, payload]));
    for (const request of first)
      expect(request.body).toBe(bodies.get(request.headers['webhook-id'] ?? ''));
    const read = new Map(first.map((request) => [verified(request).id, verified(request)]));
    expect(recorded.map(({ id }) => read.get(id)?.data.message.text)).toEqual(texts);
  });

  it('are the same when a delivery is sent again', async () => {
    const before = out.receiver.received.length;
    const path = `/webhooks/${endpoint.id}/deliveries`;
    const latest = async (): Promise<{ id: string; status: string }[]> =>
      (await shop.call('GET', path)).body.data.slice(0, 5);
    // What was answered is written down a moment later; until then a delivery is in flight, and not sent again.
    await eventually(async () => (await latest()).every(({ status }) => status === 'succeeded'));
    const ids = (await latest()).map(({ id }) => id);
    expect(ids).toHaveLength(5);

    for (const id of ids)
      expect((await shop.call('POST', `${path}/${id}/resend`)).status).toBeLessThan(300);

    await out.receiver.waitFor(before + ids.length, 60_000);
    const again = out.receiver.received.slice(before);
    const bytes = new Map(
      out.receiver.received.slice(0, before).map((each) => [each.headers['webhook-id'], each.body]),
    );
    for (const request of again) {
      expect(request.body).toBe(bytes.get(request.headers['webhook-id']));
      expect(verified(request).id).toBe(request.headers['webhook-id']);
    }
  });

  it.each([
    ['NUL', 'a\\u0000b', 'a\ufffdb'],
    ['the first half of a character', 'oi \\ud83d', 'oi \ufffd'],
    ['the second half of a character', '\\uDE00 oi', '\ufffd oi'],
    ['both, the other way round', '\\ude00\\ud83d', '\ufffd\ufffd'],
    ['a whole one, escaped', '\\ud83d\\ude00', '😀'],
    ['a backslash before it', '\\\\ud83d', '\\ud83d'],
  ])('hold nobody up when WhatsApp sends what no text may have: %s', async (name, wire, text) => {
    const webhook = JSON.stringify(
      aMessageWebhook(shop.phoneNumberId, { id: `wamid.${name}`, text: 'TEXT', name: 'TEXT' }),
    );

    await arrives(webhook.replaceAll('TEXT', wire));

    const has = (request: Received): boolean => verified(request).data.message.text === text;
    await eventually(() => out.receiver.received.some(has), { timeoutMs: 30_000 });
    const [row] = await shop.rows('select text from messages where provider_id = $1', [
      `wamid.${name}`,
    ]);
    expect(row).toEqual({ text });
    const { rows } = await scene.database.system.query(
      'select count(*)::int as n from facts where is_event and (dead_at is not null or tries > 0)',
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it.each([
    ['NUL', 'a\\u0000b'],
    ['half a character', 'oi \\ud83d'],
  ])('never hold %s of a caller: the request is refused', async (_, text) => {
    const body = `{"name":"${text}","phone":"+5511987653001"}`;

    const { status } = await scene.api.call('POST', '/api/v1/contacts', { key: shop.key, body });

    expect([400, 422]).toContain(status);
    expect(
      (await shop.events('contact.created')).filter(({ contact }) =>
        contact.phone.endsWith('3001'),
      ),
    ).toEqual([]);
  });
});
