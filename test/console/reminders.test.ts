import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { getReminder } from '../../src/reminders/reading.ts';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
});
afterAll(() => scene?.close());

const reading = <T>(work: (ctx: typeof scene.ctx) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));

describe('reminders', () => {
  const list = (): string => `${scene.base}/reminders`;
  const wish = (more: Record<string, string> = {}) => ({
    title: 'Retorno',
    number_id: numberId,
    audience: 'phone',
    phone: '+55 11 98765-4321',
    text: 'Oi!',
    repeat: 'weekly',
    date: '',
    weekday: '3',
    month_day: '',
    time: '09:00',
    ...more,
  });

  it('are written, listed, shown and cancelled', async () => {
    const { agent } = scene.people;
    const made = await agent.send(`${list()}/new`, 'create', wish());
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect([made.status, address]).toEqual([303, `${list()}/${id}`]);
    expect(await reading((ctx) => getReminder(ctx, id))).toMatchObject({
      repeat: 'weekly',
      weekday: 3,
      date: null,
      status: 'active',
    });
    expect((await agent.get(list())).text).toContain(`href="${address}">Retorno</a>`);
    const shown = /<dt>Day of the week<\/dt><dd>Wednesday<\/dd>.*Nothing yet\./s;
    expect((await agent.get(address)).text).toMatch(shown);

    expect((await agent.send(address, 'cancel')).status).toBe(303);
    expect((await agent.get(`${list()}?status=active`)).text).toContain('No reminder here.');
    expect((await agent.send(address, 'cancel')).status).toBe(409);
  });

  it('say which number sends, why they are over, and why a run left people out', async () => {
    const { agent } = scene.people;
    const { id: contactId } = await aContact(scene.ctx);
    const toContact = wish({ audience: 'contact', contact_id: contactId });
    const made = await agent.send(`${list()}/new`, 'create', toContact);
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    const some = { opted_out: 2, no_recipient: 1, missed: 3, cancelled: 1, unconfirmed: 1 };
    const reasons = { ...some, number_unavailable: 0 };
    await reading(({ sql, organizationId }) =>
      sql.rows(
        `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, started_at, status, recipients, reasons)
         values ($1, 'rrn_1', $2, now(), now(), 'failed', 8, $3)`,
        [organizationId, id, JSON.stringify(reasons)],
      ),
    );
    const active = (await agent.get(address)).text;
    await transact(scene.ctx, (tx) => cancelRemindersOf(tx, { contactId }));
    const over = (await agent.get(address)).text;

    expect(active).toContain('<dt>Sent by</dt><dd>Vendas, ');
    const why = ['2 × opted out', '1 × could not be reached', '3 × too late'];
    for (const one of [...why, '1 × cancelled', '1 × not confirmed']) expect(active).toContain(one);
    expect(active).toContain('<div>The number was not connected. ');
    expect(active).not.toContain('was cancelled');
    expect(over).toContain('It was cancelled by itself: whom it was for is no longer there.');
  });

  it('of a contact are found from its page, the active ones by name', async () => {
    const { agent } = scene.people;
    const { id: contactId } = await aContact(scene.ctx, { name: 'Ana Prado' });
    const page = `${scene.base}/contacts/${contactId}`;
    const all = `${list()}?contact_id=${contactId}`;
    const toContact = { audience: 'contact', contact_id: contactId };
    const [kept, over] = ['Vacina', 'Consulta'].map((title) => wish({ ...toContact, title }));
    const first = await agent.send(`${list()}/new`, 'create', kept);
    const second = await agent.send(`${list()}/new`, 'create', over);
    await agent.send(second.headers.get('location') ?? '', 'cancel');

    const { text } = await agent.get(page);
    const narrowed = (await agent.get(all)).text;

    expect(text).toContain(`<a href="${first.headers.get('location')}">Vacina</a> every week, `);
    expect(text).not.toContain('>Consulta</a>');
    expect(text).toContain(`href="${all}"`);
    expect(narrowed).toMatch(/>Consulta<\/a>(?!.*>Retorno<\/a>).*>Vacina<\/a>/s);
    expect(narrowed).toMatch(/To whom: <a [^>]*>Ana Prado<\/a> <a [^>]*href="[^"?]*">all<\/a>/);
    expect(narrowed).toContain(`href="${all}&amp;status=active"`);
  });

  it('go to segments and to birthdays too, on the days that fit', async () => {
    const { id: segmentId } = await aSegment(scene.ctx);
    const { agent } = scene.people;
    const wishes = [
      [
        wish({ audience: `segment:${segmentId}`, repeat: 'monthly', month_day: '31' }),
        '<dt>Day of the month</dt><dd>31</dd>',
      ],
      [wish({ audience: 'birthday', repeat: 'daily' }), 'every year, 09:00'],
      [wish({ repeat: 'once', date: '2199-12-24' }), '<dt>Day</dt><dd>Dec 24, 2199</dd>'],
    ] as const;

    for (const [one, said] of wishes) {
      const made = await agent.send(`${list()}/new`, 'create', one);
      expect(made.status).toBe(303);
      expect((await agent.get(made.headers.get('location') ?? '')).text).toContain(said);
    }
  });

  it('are changed in all that the API changes, from a form that holds what they were', async () => {
    const { id: segmentId } = await aSegment(scene.ctx, { name: 'Clientes' });
    const { id: contactId } = await aContact(scene.ctx, { name: 'Ana Souza' });
    const { agent } = scene.people;
    const asked = sentBy((await agent.get(`${list()}/new?contact=${contactId}`)).text);
    expect(asked).toMatchObject({ audience: 'contact', contact_id: contactId });
    const made = await agent.send(`${list()}/new`, 'create', wish({ ends_on: '2199-12-31' }));
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    const kept = (): Promise<unknown> => reading((ctx) => getReminder(ctx, id));
    const before = await kept();
    expect((await agent.get(address)).text).toContain('Dec 31, 2199');
    const filled = sentBy((await agent.get(`${address}/edit`)).text);
    expect((await agent.send(`${address}/edit`, 'save', filled)).status).toBe(303);
    expect(await kept()).toEqual(before);

    const found = await agent.send(`${address}/edit`, 'find', { ...filled, q: 'Ana S' });
    expect(found.status).toBe(200);
    expect(sentBy(found.text)).toMatchObject({ ...filled, q: 'Ana S' });
    expect(found.text).toContain(`name="contact_id" value="${contactId}"`);
    expect(await kept()).toEqual(before);

    const change: Record<string, string> = {
      ...filled,
      title: 'Aluguel',
      text: 'Vence hoje.',
      audience: 'contact',
      contact_id: contactId,
      repeat: 'daily',
      date: '2199-01-02',
      time: '08:30',
      time_zone: 'America/Manaus',
      ends_on: '',
      transactional: 'yes',
    };
    expect((await agent.send(`${address}/edit`, 'save', change)).status).toBe(303);

    const { audience: _audience, q: _q, ...same } = change;
    const own = { target: 'contact', phone: null, weekday: null, month_day: null, ends_on: null };
    expect(await kept()).toMatchObject({ ...same, ...own, transactional: true });
    expect((await agent.get(address)).text).toContain('Ana Souza</a>');
    const birthday = { ...change, audience: `birthday:${segmentId}` };
    expect((await agent.send(`${address}/edit`, 'save', birthday)).status).toBe(303);
    expect(await kept()).toMatchObject({ target: 'birthday', segment_id: segmentId, date: null });
    expect((await agent.get(address)).text).toContain('On their birthday: Clientes');
  });

  it('warn, where they are written, of numbers by which only recent writers get free text', async () => {
    const { agent } = scene.people;
    const warning = 'only groups and whoever wrote there in the last 24 hours get it';
    expect((await agent.get(`${list()}/new`)).text).not.toContain(warning);
    await aNumber(scene.ctx, { name: 'Cobranças', window: true });

    expect((await agent.get(`${list()}/new`)).text).toContain(`>By Cobranças ${warning}`);
  });

  it('that are wrongly changed, or over, stay as they are', async () => {
    const { agent, viewer } = scene.people;
    const made = await agent.send(`${list()}/new`, 'create', wish());
    const address = made.headers.get('location') ?? '';
    const filled = sentBy((await agent.get(`${address}/edit`)).text);
    expect((await viewer.get(`${address}/edit`)).status).toBe(403);

    const wrong = { ...filled, time_zone: 'Marte', time: '9' };
    const refused = await agent.send(`${address}/edit`, 'save', wrong);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('<a href="#f-time-zone">');
    expect(refused.text).toContain('value="Marte"');

    await agent.send(address, 'cancel');
    expect((await agent.get(`${address}/edit`)).text).toContain('only active ones can be changed');
    const late = await agent.send(`${address}/edit`, 'save', { ...filled, text: 'Vence amanhã.' });
    expect([late.status, sentBy(late.text)['text']]).toEqual([409, 'Vence amanhã.']);
  });

  it('say at the fields what is missing', async () => {
    const wrong = wish({ repeat: 'once', date: '', time: '25:00', phone: '' });
    const { status, text } = await scene.people.agent.send(`${list()}/new`, 'create', wrong);

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-time">');
    expect(text).toContain('value="25:00"');
  });

  it('are shown to a Viewer without a button, and to nobody of another workspace', async () => {
    const other = await aWorkspace(scene.database);
    const number = await aNumber(other.ctx);
    const body = { ...wish(), number_id: number.id, target: 'phone', weekday: 3 };
    const { audience: _a, date: _d, month_day: _m, ...fields } = body;
    const foreign = await createReminder(other.ctx, newReminderOf(fields));
    const { viewer, owner } = scene.people;

    expect((await viewer.get(`${list()}/new`)).status).toBe(403);
    expect((await viewer.get(list())).text).not.toContain(`${list()}/new`);
    expect((await owner.get(`${list()}/${foreign.id}`)).status).toBe(404);
  });
});

/** What a browser would send of a page's form, as it stands. */
function sentBy(text: string): Record<string, string> {
  const form =
    /<form method="post"(?:(?!<\/form>)[\s\S])*name="title"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
  const inputs = [
    ...form.matchAll(/<input id="[^"]*" name="([^"]+)" type="[^"]+" value="([^"]*)"/g),
  ];
  const radios = [
    ...form.matchAll(/<input type="radio" [^>]*name="([^"]+)" value="([^"]*)" checked/g),
  ];
  const areas = [...form.matchAll(/<textarea [^>]*name="([^"]+)"[^>]*>\n([^<]*)</g)];
  const selects = [...form.matchAll(/<select [^>]*name="([^"]+)"[^>]*>(.*?)<\/select>/g)].map(
    ([all, name = '', options = '']) => [
      all,
      name,
      /value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? '',
    ],
  );
  const pairs = [...inputs, ...radios, ...areas, ...selects].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}
