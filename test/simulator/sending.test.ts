import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NUMBER, openSimulatorStage, type SimulatorStage } from './support/stage.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'));
const ledgerFile = path.join(folder, 'ledger.jsonl');
const to = '5511987654321';
const text = { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'Hi' } };
const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

let stage: SimulatorStage;
beforeAll(async () => {
  stage = await openSimulatorStage({ ledgerFile });
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

describe('the send call', () => {
  it('refuses a call without a token as error 190', async () => {
    const { status, body } = await stage.post(`/v23.0/${NUMBER}/messages`, text);

    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: 190 } });
  });

  it.each([
    ['no JSON', '{"messaging_product"'],
    ['another product', { ...text, messaging_product: 'sms' }],
    ['no recipient', { ...text, to: undefined }],
    ['a recipient that is no number', { ...text, to: 'Ana' }],
    ['an unknown type', { ...text, type: 'fax', fax: {} }],
    ['no object for its type', { ...text, text: undefined }],
    ['an empty text', { ...text, text: { body: '' } }],
    ['a text of 4,097 characters', { ...text, text: { body: 'x'.repeat(4097) } }],
    ['a text of 4,097 emoji', { ...text, text: { body: '😀'.repeat(4097) } }],
    ['a template without language', { ...text, type: 'template', template: { name: 'promo' } }],
    ['media with both id and link', { ...text, type: 'image', image: { id: '1', link: 'x' } }],
    ['media with neither id nor link', { ...text, type: 'image', image: { caption: 'x' } }],
    ['a correlation of 513 characters', { ...text, biz_opaque_callback_data: 'x'.repeat(513) }],
  ])('refuses %s as error 100 and accepts nothing', async (_case, body) => {
    const answer = await stage.sendBody(body);

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 100 } });
    expect(stage.simulator.ledger().at(-1)).toMatchObject({
      wamid: null,
      decision: 'refused:100',
    });
  });

  it('accepts 4,096 characters, each emoji counted as one', async () => {
    const { status } = await stage.sendBody({ ...text, text: { body: '😀'.repeat(4096) } });

    expect(status).toBe(200);
  });

  it.each([
    ['a line break', 'bolo\npão', 132018],
    ['a tab', 'bolo\tpão', 132018],
    ['five spaces in a row', 'bolo     pão', 132018],
    ['nothing but blanks', ' ', 131008],
    ['four spaces in a row', 'bolo    pão', undefined],
  ])('answers as WhatsApp does to a parameter of a template with %s', async (_, word, code) => {
    const parameters = [{ type: 'text', text: word }];
    const template = { name: 'novo', language: { code: 'pt_BR' } };
    const components = [{ type: 'body', parameters }];

    const { status, body } = await stage.sendBody({
      ...text,
      type: 'template',
      template: { ...template, components },
    });

    expect([status, (body as { error?: { code: number } }).error?.code]).toEqual([
      code === undefined ? 200 : 400,
      code,
    ]);
  });

  it('accepts a template and a picture, and keeps their words', async () => {
    await stage.sendBody({
      ...text,
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'pt_BR' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '4711' }] }],
      },
    });
    await stage.sendBody({ ...text, type: 'image', image: { id: '1', caption: 'Look' } });

    expect(stage.simulator.ledger().slice(-2)).toMatchObject([
      { type: 'template', text: '[order_update] 4711', decision: 'accepted' },
      { type: 'image', text: 'Look', decision: 'accepted' },
    ]);
  });

  it('addresses a person by user id where there is no phone number', async () => {
    const { to: _to, ...rest } = text;
    const { status, body } = await stage.sendBody({
      ...rest,
      recipient: 'BR.13491208655302741918',
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ contacts: [{ user_id: 'BR.13491208655302741918' }] });
  });

  it('delivers to a user id whose digits would be those of a phone that is refused', async () => {
    const { to: _to, ...rest } = text;
    const { status } = await stage.sendBody({ ...rest, recipient: 'BR.13491208650131047' });

    expect(status).toBe(200);
  });

  it('never gives a message id twice', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => stage.sendBody(text)));

    const ids = new Set(answers.map(({ body }) => body.messages[0]?.id));
    expect(ids.size).toBe(500);
  });
});

describe('the ledger', () => {
  it('has a line in the file for every answer, and the file says what memory says', async () => {
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => stage.send(`55119871${10_000 + n}`, `burst-${n}`)),
    );

    const written = lines(ledgerFile);
    expect(written).toEqual(stage.simulator.ledger());
    expect(written.map(({ n }) => n)).toEqual(written.map((_, at) => at + 1));
    const keys = new Set(written.map(({ key }) => key));
    expect([...keys].filter((key) => key?.startsWith('burst-'))).toHaveLength(300);
  });

  it('lists accepted messages in order, filtered by person, number and position', async () => {
    const [person, other] = ['5511970000777', '5511970000778'] as const;
    await stage.send(person, 'a', '2001');
    await stage.send(other, 'b', '2001');
    await stage.send(person, 'c', '2002');
    await stage.send('5511980131047', 'd', '2001');
    const list = async (query: string) =>
      (await stage.get(`/simulator/messages?${query}`)).body.data;
    const keys = async (query: string) => (await list(query)).map(({ key }) => key);
    const [first] = await list(`to=${person}`);

    expect(await keys(`to=${person}`)).toEqual(['a', 'c']);
    expect(await keys(`to=%2B${person}`)).toEqual(['a', 'c']);
    expect(await keys('phone_number_id=2001')).toEqual(['a', 'b']);
    expect(await keys('phone_number_id=2001&all=1')).toEqual(['a', 'b', 'd']);
    expect(await keys(`phone_number_id=2001&after=${first?.n}`)).toEqual(['b']);
    expect(await keys(`phone_number_id=2001&after=${(first?.t ?? 0) - 1}`)).toEqual(['a', 'b']);
    expect(await keys('phone_number_id=2001&after=2100-01-01')).toEqual([]);
    expect((await stage.get('/simulator/messages?after=later')).status).toBe(400);
  });

  it('goes on where an earlier run was killed, without the line it was killed in', async () => {
    const file = path.join(folder, 'earlier.jsonl');
    const earlier = lines(ledgerFile).slice(0, 2);
    const whole = earlier.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    writeFileSync(file, `${whole}{"n":3,"t":17`);
    const next = await openSimulatorStage({ ledgerFile: file });
    await next.send(to, 'after the kill');
    await next.close();

    expect(lines(file)).toEqual([
      ...earlier,
      expect.objectContaining({ n: 3, key: 'after the kill' }),
    ]);
  });
});
