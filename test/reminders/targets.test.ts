import { describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { listRunRecipients, listRuns } from '../../src/reminders/reading.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aSegment } from '../support/factories/segments.ts';
import { DAY, HOUR, reminderScene } from './support/scene.ts';

const { scene, remind, runsOf, messagesOf, inTime, aGroup, rows } = reminderScene();

const ALL = { limit: 100, after: null };

/** Once, in an hour. */
const soon = async () => {
  const { date, time } = await inTime(HOUR);
  return { repeat: 'once', date, time } as const;
};
const born = async (name: string, at: Date, wishes: object = {}) =>
  aContact(scene.ctx, { name, birth_date: `1992${at.toISOString().slice(4, 10)}`, ...wishes });

/** Whom the reminder's first run was for, in the order in which they came to be, as the API tells it. */
const recipientsOf = (reminderId: string): Promise<unknown[]> =>
  inWorkspace(scene.stage.database, scene.ctx.organizationId, async (sql) => {
    const ctx = { ...scene.ctx, sql };
    const runs = await listRuns(ctx, reminderId, ALL);
    const asked = { reminderId, runId: runs.data.at(-1)?.id ?? '' };
    const { data } = await listRunRecipients(ctx, asked, ALL);
    return data.toReversed().map((one) => [one.contact_id, one.status, one.reason]);
  });

describe('a run to one target', () => {
  it('fills in the variables for a contact', async () => {
    const { id: contact_id, phone } = await aContact(scene.ctx, {
      name: 'Ana Souza',
      custom: { plano: 'ouro' },
    });
    const text = 'Oi {{first_name}}, {{custom.plano}} {{custom.cor|azul}}';
    const id = await remind({ target: 'contact', contact_id, text, ...(await soon()) });

    await scene.stage.advance(2 * HOUR);

    const sent = { to: phone, text: 'Oi Ana, ouro azul', status: 'sent' };
    expect(await messagesOf(id)).toEqual([sent]);
  });

  it('goes into the conversation of a group', async () => {
    const group_id = await aGroup();
    const id = await remind({ target: 'group', group_id, text: 'Oi {{name}}', ...(await soon()) });

    await scene.stage.advance(2 * HOUR);

    expect(await messagesOf(id)).toEqual([{ to: '', text: 'Oi Turma', status: 'sent' }]);
    expect(scene.stage.simulator.ledger().some(({ to }) => to === group_id)).toBe(true);
  });

  it('makes a contact of a phone at the first send, and the same one gets the next', async () => {
    const { time } = await inTime(HOUR);
    const phone = '+5511982000077';
    const id = await remind({ target: 'phone', phone, repeat: 'daily', time });
    const contacts = () =>
      rows<{ via: string }>('select created_via as via from contacts where phone = $1', [phone]);
    expect(await contacts()).toEqual([]);

    await scene.stage.advance(2 * DAY);

    expect(await contacts()).toEqual([{ via: 'api' }]);
    const sent = { to: phone, text: 'Oi!', status: 'sent' };
    expect(await messagesOf(id)).toEqual([sent, sent]);
  });
});

describe('a run to a segment', () => {
  it('asks who is in at each run, and says why the others got nothing', async () => {
    const { id: segment_id } = await aSegment(scene.ctx);
    const vip = (name: string) => aContact(scene.ctx, { name, tags: ['vip'] });
    const ana = await vip('Ana');
    const out = await vip('Bia');
    const blocked = await vip('Caio');
    const nameless = await vip('Davi');
    await rows("update contacts set name = '' where id = $1", [nameless.id]);
    await aContact(scene.ctx, { name: 'Ninguém' });
    await rows('update contacts set opted_out = true where id = $1', [out.id]);
    await rows('update contacts set blocked = true where id = $1', [blocked.id]);
    const { time } = await inTime(HOUR);
    const text = 'Oi {{name}}';
    const id = await remind({ target: 'segment', segment_id, text, repeat: 'daily', time });

    await scene.stage.advance(2 * HOUR);
    await aContact(scene.ctx, { name: 'Eva', tags: ['vip'] });
    await scene.stage.advance(DAY);

    const reasons = { opted_out: 1, blocked: 1, missing_variable: 1 };
    expect(await runsOf(id)).toMatchObject([
      { status: 'partial', recipients: 4, sent: 1, failed: 0, reasons },
      { status: 'partial', recipients: 5, sent: 2, failed: 0, reasons },
    ]);
    const texts = (await messagesOf(id)).map((message) => message.text);
    expect(texts.toSorted()).toEqual(['Oi Ana', 'Oi Ana', 'Oi Eva']);
    expect(await recipientsOf(id)).toEqual([
      [ana.id, 'sent', null],
      [out.id, 'skipped', 'opted_out'],
      [blocked.id, 'skipped', 'blocked'],
      [nameless.id, 'skipped', 'missing_variable'],
    ]);
  });

  it('without recipients is skipped', async () => {
    const { id: segment_id } = await aSegment(scene.ctx);
    const id = await remind({ target: 'segment', segment_id, ...(await soon()) });

    await scene.stage.advance(2 * HOUR);

    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', recipients: 0, reasons: {} }]);
  });

  it('of more people than the queue holds at once writes to each of them once', async () => {
    const { id: segment_id } = await aSegment(scene.ctx);
    await rows(
      `insert into contacts (organization_id, id, name, phone, phone_key, tags, origin, created_via, created_at, updated_at)
       select $1, 'con_' || lpad(n::text, 26, '0'), 'P', '+55119830' || lpad(n::text, 5, '0'), '+55119830' || lpad(n::text, 5, '0'),
         '{vip}', 'import', 'import', $2, $2 from generate_series(1, 450) n`,
      [scene.ctx.organizationId, scene.ctx.now],
    );
    const id = await remind({ target: 'segment', segment_id, ...(await soon()) });

    await scene.stage.advance(3 * HOUR);

    expect(await runsOf(id)).toMatchObject([{ status: 'sent', recipients: 450, sent: 450 }]);
    const sent = await messagesOf(id);
    expect(new Set(sent.map(({ to }) => to)).size).toBe(450);
  });
});

describe('a run on birthdays', () => {
  it('writes to whoever has one on the day, also to those who came after it was planned', async () => {
    const { time, at } = await inTime(10 * DAY);
    await born('Ana', new Date(at.getTime() + 20 * DAY));
    const id = await remind({ target: 'birthday', repeat: 'yearly', time, text: 'Viva {{name}}' });
    await scene.stage.advance(2 * DAY);
    await born('Bia', at);

    await scene.stage.advance(40 * DAY);

    expect((await messagesOf(id)).map(({ text }) => text)).toEqual(['Viva Bia', 'Viva Ana']);
    expect(await runsOf(id)).toMatchObject([{ at, status: 'sent' }, { status: 'sent' }]);
  });

  it('never congratulates anybody twice in a year, whatever becomes of its time', async () => {
    const { time, at } = await inTime(HOUR);
    await born('Ana', at);
    const id = await remind({ target: 'birthday', repeat: 'yearly', time });
    await scene.stage.advance(2 * HOUR);
    expect(await runsOf(id)).toHaveLength(1);

    // As if the day came again: another zone, another time.
    await rows(
      `update reminders set due_day = $2, next_run_at = null, time = to_char($3::timestamptz at time zone 'UTC', 'HH24:MI')
       where id = $1`,
      [id, at.toISOString().slice(0, 10), await scene.stage.now()],
    );
    await scene.stage.handleOf(id).signal('wake');
    await scene.stage.advance(2 * HOUR);

    expect(await messagesOf(id)).toHaveLength(1);
  });

  it('passes over people who opted out, unless it is transactional, and over blocked ones', async () => {
    const { time, at } = await inTime(HOUR);
    const { id: out } = await born('Ana', at);
    const { id: blocked } = await born('Bia', at);
    await rows('update contacts set opted_out = true where id = $1', [out]);
    await rows('update contacts set blocked = true where id = $1', [blocked]);

    const plain = await remind({ target: 'birthday', repeat: 'yearly', time });
    const bill = await remind({
      target: 'birthday',
      repeat: 'yearly',
      time,
      transactional: true,
    });
    await scene.stage.advance(2 * HOUR);

    expect(await runsOf(plain)).toEqual([]);
    expect(await runsOf(bill)).toMatchObject([{ status: 'sent', recipients: 1 }]);
  });
});

describe('a number that is held to the 24-hour window', () => {
  it('writes inside of it, and says so of those outside', async () => {
    await rows('update numbers set window_24h = true where id = $1', [scene.numberId]);
    const { id: contact_id } = await aContact(scene.ctx);
    const when = await soon();
    const id = await remind({ target: 'contact', contact_id, ...when });

    await scene.stage.advance(2 * HOUR);

    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', reasons: { out_of_window: 1 } }]);
    const again = await remind({ target: 'contact', contact_id, ...(await soon()) });
    await rows(
      `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, window_expires_at)
       values ($1, 'cnv_window', $2, $3, now(), now(), $4)`,
      [
        scene.ctx.organizationId,
        scene.numberId,
        contact_id,
        new Date((await scene.stage.now()).getTime() + 12 * HOUR),
      ],
    );
    await scene.stage.advance(2 * HOUR);
    expect(await runsOf(again)).toMatchObject([{ status: 'sent' }]);
  });
});
