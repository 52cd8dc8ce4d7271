import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { transact } from '../../src/db/transact.ts';
import { createApp } from '../../src/oauth/apps/service.ts';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { untilWaiting } from '../support/database.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm } from '../support/factories/forms.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { rowsOf } from '../support/rows-of.ts';
import { filledIn, seenIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

const NO_ANSWER = 'http://127.0.0.1:9';

let scene: ConsoleScene;
let numberId: string;
let contactId: string;

beforeAll(async () => {
  scene = await aConsoleScene([NO_ANSWER]);
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
  contactId = (await aContact(scene.ctx, { name: 'Ana', phone: '+5511987654321' })).id;
});
afterAll(() => scene?.close());

interface Edited {
  readonly make: () => Promise<{ readonly id: string }>;
  /** The edit page. */
  readonly at: (id: string) => string;
  /** A field that one person changes, and one that another does; each with what they write. */
  readonly hers: readonly [string, string];
  readonly his: readonly [string, string];
  readonly table: string;
}

const inText = ([name, value]: readonly [string, string]) => ({ [name]: value });

describe('what two people edit', () => {
  const aReminder = () =>
    createReminder(
      scene.ctx,
      newReminderOf({
        title: 'Retorno',
        text: 'Oi!',
        number_id: numberId,
        target: 'contact',
        contact_id: contactId,
        repeat: 'weekly',
        weekday: 3,
        time: '09:00',
      }),
    );

  const kinds: [string, Edited][] = [
    [
      'a campaign',
      {
        make: () =>
          aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId], pace: 60 }),
        at: (id) => `/campaigns/${id}/edit`,
        hers: ['text', 'Dela'],
        table: 'campaigns',
        his: ['name', 'Dele'],
      },
    ],
    [
      'a form',
      {
        make: () => aForm(scene.ctx),
        at: (id) => `/forms/${id}/edit`,
        hers: ['thanks', 'Dela'],
        table: 'forms',
        his: ['title', 'Dele'],
      },
    ],
    [
      'a segment',
      {
        make: () => aSegment(scene.ctx, { name: 'Clientes' }),
        at: (id) => `/segments/${id}/edit`,
        hers: ['rules', '{"field":"tag","op":"has_any","value":["Dela"]}'],
        table: 'segments',
        his: ['name', 'Dele'],
      },
    ],
    [
      'a reminder',
      {
        make: aReminder,
        at: (id) => `/reminders/${id}/edit`,
        hers: ['text', 'Dela'],
        table: 'reminders',
        his: ['title', 'Dele'],
      },
    ],
    [
      'an endpoint',
      {
        make: () => anEndpoint(scene.ctx, `${NO_ANSWER}/hooks`),
        at: (id) => `/webhooks/${id}/edit`,
        hers: ['url', `${NO_ANSWER}/Dela`],
        table: 'webhook_endpoints',
        his: ['name', 'Dele'],
      },
    ],
    [
      'an app',
      {
        make: () =>
          createApp(scene.ctx, {
            name: 'Planilhas',
            redirectUris: ['https://planilhas.example.com/back'],
            scopes: ['contacts:read'],
          }),
        at: (id) => `/apps/${id}`,
        hers: ['redirect_uris', 'https://planilhas.example.com/Dela'],
        table: 'oauth_clients',
        his: ['name', 'Dele'],
      },
    ],
  ];

  it.each(kinds)(
    '%s is not taken back to what it was, unseen',
    async (_, { make, at, hers, his }) => {
      const { admin, owner } = scene.people;
      const address = scene.base + at((await make()).id);
      const shown = filledIn((await owner.get(address)).text, 'save');
      const saved = await admin.send(address, 'save', { ...shown, ...inText(hers) });
      expect(saved.status).toBe(303);

      const refused = await owner.send(address, 'save', { ...shown, ...inText(his) });

      expect(refused.status).toBe(409);
      expect(refused.text).toContain('Somebody changed this after you opened the page');
      const still = filledIn(refused.text, 'save');
      expect(still).toMatchObject(inText(his));
      const kept = JSON.stringify(filledIn((await owner.get(address)).text, 'save'));
      expect([kept.includes('Dela'), kept.includes('Dele')]).toEqual([true, false]);
      expect((await owner.send(address, 'save', still)).status).toBe(303);
      expect(filledIn((await owner.get(address)).text, 'save')).toMatchObject(inText(his));
    },
  );

  it.each(kinds)('%s waits for a change that is being made just then', async (_, kind) => {
    const { make, at, his, table } = kind;
    const { owner } = scene.people;
    const { id } = await make();
    const address = scene.base + at(id);
    const shown = filledIn((await owner.get(address)).text, 'save');

    const { reply } = await transact(scene.ctx, async ({ sql }) => {
      await sql.rows(`update ${table} set ${his[0]} = 'Outro' where id = $1`, [id]);
      const reply = owner.send(address, 'save', { ...shown, ...inText(his) });
      await untilWaiting(scene.database.app);
      return { reply };
    });

    expect((await reply).status).toBe(409);
  });

  it('is compared with what was first shown, however often the form is refused for something else', async () => {
    const { admin, owner } = scene.people;
    const { id } = await aForm(scene.ctx);
    const address = `${scene.base}/forms/${id}/edit`;
    const shown = filledIn((await owner.get(address)).text, 'save');
    await admin.send(address, 'save', { ...shown, thanks: 'Dela' });

    const wrong = await owner.send(address, 'save', { ...shown, fields: '[' });
    const mended = { ...filledIn(wrong.text, 'save'), fields: shown['fields'] ?? '' };
    const refused = await owner.send(address, 'save', mended);

    expect([wrong.status, refused.status]).toEqual([422, 409]);
  });

  it('an automation’s draft is not replaced by an older version, unseen', async () => {
    const { admin, owner } = scene.people;
    const end = { id: 'end', type: 'end' } as const;
    const { id } = await anActiveAutomation(scene.ctx, { steps: [end] });
    const one = `${scene.base}/automations/${id}`;
    const version = `${one}/versions/1`;
    const { seen = '' } = filledIn((await owner.get(version)).text, 'restore');
    const draft = filledIn((await admin.get(one)).text, 'save');
    const definition = JSON.stringify({
      trigger: { type: 'manual' },
      steps: [{ ...end, id: 'hers' }],
    });
    expect((await admin.send(one, 'save', { ...draft, definition })).status).toBe(303);

    const refused = await owner.send(version, 'restore', { seen });

    expect(refused.status).toBe(409);
    expect(filledIn((await owner.get(one)).text, 'save')['definition']).toContain('hers');
    expect((await owner.send(version, 'restore')).status).toBe(303);
  });
});

const rows = <R extends object>(text: string, params: unknown[]) =>
  rowsOf<R>(scene.ctx, text, params);

describe('a campaign', () => {
  const draft = () =>
    aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId], text: 'Oi' });
  const statusOf = async (id: string) =>
    (await rows<{ status: string }>('select status from campaigns where id = $1', [id]))[0]?.status;
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);

  it.each([
    ['sent', 'send', 'sending'],
    ['scheduled', 'schedule', 'scheduled'],
  ])('is %s only as the person saw it', async (_, action, status) => {
    const { owner } = scene.people;
    const { id } = await draft();
    const address = `${scene.base}/campaigns/${id}`;
    const seen = seenIn((await owner.get(address)).text);
    await updateCampaign(scene.ctx, id, { text: 'Só hoje: tudo de graça' });

    const refused = await owner.send(address, action, { when: tomorrow(), seen });

    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Somebody changed this after you opened the page');
    expect(refused.text).toContain('Só hoje: tudo de graça');
    expect(await statusOf(id)).toBe('draft');
    const known = { when: tomorrow(), seen: seenIn(refused.text) };
    expect((await owner.send(address, action, known)).status).toBe(303);
    expect(await statusOf(id)).toBe(status);
  });

  it('is not sent with a change that is being made just then', async () => {
    const { owner } = scene.people;
    const { id } = await draft();

    const { reply } = await transact(scene.ctx, async (tx) => {
      await updateCampaign(tx, id, { text: 'Outro' });
      const reply = owner.send(`${scene.base}/campaigns/${id}`, 'send');
      await untilWaiting(scene.database.app);
      return { reply };
    });

    expect((await reply).status).toBe(409);
    expect(await statusOf(id)).toBe('draft');
  });
});
