import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeSecret, newSecret, signatureHeaders } from '../../src/webhooks/signing/signature.ts';
import { body, event, linesOf, NOW, ofLibrary, paste, secret, signed } from './support/pasting.ts';

describe('a pasted delivery', () => {
  it('is verified when its parts belong together, signed by us or by the public library', async () => {
    expect(await paste()).toMatchObject({ verified: true, cause: null, title: 'Verified' });

    const headers = linesOf({ ...signed(), 'webhook-signature': ofLibrary(secret) });
    expect(await paste({ headers, secret: ` ${secret}\n` })).toMatchObject({ verified: true });
    expect(await paste({ headers, secret: secret.slice(6) })).toMatchObject({ verified: true });
  });

  const { 'webhook-id': ID, 'webhook-timestamp': TIME, 'webhook-signature': SIGNATURE } = signed();
  it.each([
    [
      'HTTP',
      `POST /hooks HTTP/1.1\r\nHost: a.example\r\nWebhook-Id: ${ID}\r\nWebhook-Timestamp: ${TIME}\r\nWebhook-Signature: ${SIGNATURE}\r\n`,
    ],
    [
      'curl -v',
      `> webhook-id: ${ID}\n> webhook-timestamp: ${TIME}\n> webhook-signature: ${SIGNATURE}`,
    ],
    [
      'a curl command',
      `-H 'webhook-id: ${ID}' \\\n -H "webhook-timestamp: ${TIME}" \\\n -H 'webhook-signature: ${SIGNATURE}' \\`,
    ],
    [
      'Node',
      `{\n  'webhook-id': '${ID}',\n  'webhook-timestamp': '${TIME}',\n  'webhook-signature': '${SIGNATURE}'\n}`,
    ],
    [
      'PHP',
      `array(\n 'HTTP_WEBHOOK_ID' => '${ID}',\n 'HTTP_WEBHOOK_TIMESTAMP' => '${TIME}',\n 'HTTP_WEBHOOK_SIGNATURE' => '${SIGNATURE}',\n)`,
    ],
    ['JSON', JSON.stringify({ host: 'a', ...signed() })],
    [
      'Go, as JSON with lists',
      JSON.stringify({
        'Webhook-Id': [ID],
        'Webhook-Timestamp': [TIME],
        'Webhook-Signature': [SIGNATURE],
      }),
    ],
  ])('is read from headers as %s writes them', async (_, headers) => {
    expect(await paste({ headers })).toMatchObject({ verified: true });
  });

  it.each([
    ['a line break was added', `${body}\n`],
    ['it was written over several lines', JSON.stringify(event, null, 2)],
    [
      'Python wrote it again',
      body.replace(/":/g, '": ').replaceAll(',"', ', "').replace('á', '\\u00e1'),
    ],
    ['PHP wrote it again', body.replace('1/2', '1\\/2')],
    ['it was put into quotes', JSON.stringify(body)],
    [
      'its first keys come in another order',
      JSON.stringify({ data: event['data'], ...event, id: event['id'] }),
    ],
    ['it was read as Latin-1', Buffer.from(body).toString('latin1')],
  ])('has a changed body, surely, when %s', async (_, changed) => {
    const { cause, sentences } = await paste({ body: changed });

    expect([cause, sentences[0]]).toEqual([
      'body',
      expect.stringContaining('The secret is right.'),
    ]);
  });

  it.each([
    ['lost its line break', 'a: 1\n', 'a: 1'],
    ['has its CRLF as LF', 'a: 1\r\nb: 2', 'a: 1\nb: 2'],
    ['has its LF as CRLF', 'a: 1\nb: 2', 'a: 1\r\nb: 2'],
  ])('that is no JSON is recognised when it %s', async (_, sent, received) => {
    const { cause, sentences } = await paste({ body: received }, { sent });

    expect([cause, sentences[0]]).toEqual([
      'body',
      expect.stringContaining('The secret is right.'),
    ]);
  });

  it.each([
    ['cut off', body.slice(0, -5), 'not JSON'],
    ['only the data of the event', JSON.stringify(event['data']), 'not a whole event'],
    [
      'sorted in depth, a value changed',
      JSON.stringify({ ...event, version: 2 }, null, 1),
      'again',
    ],
  ])(
    'has a body that was changed, and no word on the secret, when it is %s',
    async (_, changed, why) => {
      const { cause, sentences } = await paste({ body: changed });

      expect([cause, ...sentences]).toEqual([
        'body',
        expect.stringContaining(why),
        expect.stringMatching(/secret is right cannot be told/),
      ]);
    },
  );

  it('has most likely another secret when the body looks as sent, and says that it is not sure', async () => {
    const other = await paste({ secret: newSecret() });
    const touched = await paste({ body: body.replace('Ana', 'Eva') });

    for (const { cause, sentences } of [other, touched])
      expect([cause, sentences.join(' ')]).toEqual([
        'secret',
        expect.stringContaining('cannot be told for sure'),
      ]);
    expect(await paste({ secret: secret.slice(0, -7) })).toMatchObject({
      cause: 'secret',
      title: 'This is not a whole secret',
    });
  });

  it('was signed with the secret as it is when the text of it fits', async () => {
    for (const text of [secret, secret.slice(6)]) {
      const signature = ofLibrary(new TextEncoder().encode(text));
      const headers = linesOf({ ...signed(), 'webhook-signature': signature });
      expect(await paste({ headers })).toMatchObject({ verified: false, cause: 'key' });
    }
  });

  it.each([
    [299, true, null],
    [-299, true, null],
    [301, false, 'clock'],
    [-301, false, 'clock'],
  ])('%i seconds from the clock is verified: %s', async (seconds, verified, cause) => {
    expect(await paste({}, { timestamp: NOW + seconds })).toMatchObject({ verified, cause });
  });

  it('says by how much an old timestamp misses, and that pasting late looks alike', async () => {
    const { sentences } = await paste({}, { timestamp: NOW - 7_530 });

    expect(sentences[0]).toContain('2 h 5 min before the clock of this device');
    expect(sentences[1]).toContain('paste late');
  });

  it('lacks a header, or has one by another name, or a timestamp in milliseconds', async () => {
    const { 'webhook-id': name, ...rest } = signed();
    const missing = await paste({ headers: linesOf(rest) });
    const renamed = await paste({ headers: linesOf({ ...rest, 'X-Webhook-Id': name }) });
    const millis = await paste({
      headers: linesOf({ ...signed(), 'webhook-timestamp': `${NOW}000` }),
    });

    expect(missing).toMatchObject({ cause: 'headers', title: 'A header is missing' });
    expect(missing.sentences[0]).toContain('Not found: webhook-id.');
    expect(renamed.sentences[1]).toContain('There is x-webhook-id');
    expect(millis).toMatchObject({ cause: 'headers', title: 'The timestamp was changed' });
  });

  it('has headers of another delivery when the ids differ, or the id alone was mixed up', async () => {
    const other = signatureHeaders({ id: 'evt_2', timestamp: NOW, body: '{"id":"evt_2"}' }, [
      decodeSecret(secret),
    ]);

    expect(await paste({ headers: linesOf(other) })).toMatchObject({
      cause: 'headers',
      title: 'Headers and body are of two deliveries',
    });
    expect(await paste({ headers: linesOf({ ...signed(), 'webhook-id': 'evt_2' }) })).toMatchObject(
      {
        cause: 'headers',
        title: 'The webhook-id is of another delivery',
      },
    );
  });

  it('is verified by either signature during a rotation, and tells which it was', async () => {
    const secrets = [newSecret(), secret];
    const old = await paste({}, { secrets });
    const fresh = await paste({ secret: secrets[0] ?? '' }, { secrets });

    expect([old.verified, fresh.verified]).toEqual([true, true]);
    expect(old.sentences.join(' ')).toContain('compares only the first signature refuses');
    expect(fresh.sentences.join(' ')).toContain('This is the newer one.');
  });

  it('had its header cut when the signature fits without its label, or is no signature', async () => {
    const { 'webhook-signature': signature } = signed();
    for (const cut of [signature.slice(3), signature.replace(',', ', ')])
      expect(
        await paste({ headers: linesOf({ ...signed(), 'webhook-signature': cut }) }),
      ).toMatchObject({ cause: 'comparison' });
    expect(
      await paste({ headers: linesOf({ ...signed(), 'webhook-signature': 'v1' }) }),
    ).toMatchObject({ cause: 'headers', title: 'The signature was cut off' });
  });
});

describe('what the receiver computed for a delivery that is right', () => {
  const right = ofLibrary(secret).slice(3);

  it.each([
    ['the secret as it is', ofLibrary(new TextEncoder().encode(secret)), 'key'],
    ['a body that was written again', ofLibrary(secret, JSON.stringify(event, null, 2)), 'body'],
    [
      'a body with another order of keys',
      ofLibrary(secret, JSON.stringify(sortedKeys(event))),
      'body',
    ],
    ['another secret', ofLibrary(newSecret()), 'secret'],
    ['the right signature', right, 'comparison'],
    ['it with its label', `v1,${right}`, 'comparison'],
    ['it for addresses', right.replaceAll('+', '-').replaceAll('/', '_'), 'comparison'],
    ['it in hexadecimal digits', Buffer.from(right, 'base64').toString('hex'), 'comparison'],
  ])('tells the step that differs: %s', async (_, computed, cause) => {
    expect(await paste({ computed })).toMatchObject({ verified: false, cause });
  });

  it('tells that only a part was signed', async () => {
    const computed = createHmac('sha256', decodeSecret(secret)).update(body).digest('base64');

    expect(await paste({ computed })).toMatchObject({ cause: 'content' });
  });
});

function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sortedKeys(each)]));
}
