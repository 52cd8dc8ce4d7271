import { describe, expect, it } from '@jest/globals';
import { skipPending } from '../../src/contacts/opt-outs/opting-out.ts';
import { addPhrase, removePhrase } from '../../src/contacts/opt-outs/phrases.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

async function pendingIn(status: 'sending' | 'paused', contactId: string, phone: string) {
  const { id } = await aCampaign(scene.ctx, {
    number_id: scene.numberId,
    contact_ids: [contactId],
  });
  await scene.rows('update campaigns set status = $2 where id = $1', [id, status]);
  await scene.rows(
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text)
     values ($1, $2, $3, $4, $5, $6, 'Oi')`,
    [
      scene.ctx.organizationId,
      id,
      newId('rcp'),
      phone.replace(/^\+55(\d\d)9/, '+55$1'),
      contactId,
      phone,
    ],
  );
  return id;
}

describe('a message that asks for no more messages', () => {
  it.each([
    'STOP',
    'stop.',
    ' Stop! ',
    'StopAll',
    'unsubscribe',
    'SAIR',
    'parar',
    'Pare!!',
    'Cancelar inscrição',
    'CANCELAR  INSCRICAO',
    'descadastrar',
    'Remover',
    'baja',
    'Não quero mais',
    'não mais',
    'Stop promotions',
    'Parar promoções',
    'PARAR PROMOCOES',
    'Interromper promoções',
    'Detener promociones',
  ])('opts the person out at once: %p', async (text) => {
    const from = scene.aPhone();

    await scene.writes(from, text);

    expect(await scene.standing(from)).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
      evidence: text,
    });
  });

  it.each([
    'Pode parar de chover',
    'Pode parar promoções?',
    'stop it',
    'CANCELAR',
    'Fim',
    'não',
    'STOP STOP',
    'end',
    '',
  ])('is no other message: %p', async (text) => {
    const from = scene.aPhone();

    await scene.writes(from, text);

    expect(await scene.standing(from)).toMatchObject({ opted_out: false, said: [] });
  });

  it('is a quick reply whose payload says so, whatever its text', async () => {
    const [button, reply] = [scene.aPhone(), scene.aPhone()];

    await scene.writes(button, '', {
      type: 'button',
      text: undefined,
      button: { text: 'Chega', payload: 'opt_out' },
    });
    await scene.writes(reply, '', {
      type: 'interactive',
      text: undefined,
      interactive: { type: 'button_reply', button_reply: { id: 'opt_out', title: 'Chega' } },
    });

    for (const from of [button, reply])
      expect(await scene.standing(from)).toMatchObject({
        opted_out: true,
        opt_out_source: 'button',
      });
  });

  // WhatsApp Manager's own; no payload is given with the send, so that a press tells the text twice.
  it.each(['Stop promotions', 'Parar promoções', 'Interromper promoções', 'Detener promociones'])(
    'is the button of a template that says %p',
    async (text) => {
      const from = scene.aPhone();

      await scene.writes(from, '', {
        type: 'button',
        text: undefined,
        button: { text, payload: text },
        context: { from: '5511300000000', id: 'wamid.of.a.campaign' },
      });

      expect(await scene.standing(from)).toMatchObject({ opted_out: true, evidence: text });
    },
  );

  it('is no caption of a picture', async () => {
    const from = scene.aPhone();
    await scene.writes(from, '', { type: 'image', image: { id: '1', caption: 'STOP' } });

    expect((await scene.standing(from))?.opted_out).toBe(false);
  });

  it('takes the person out of every campaign that has not begun to send to them', async () => {
    const from = scene.aPhone();
    const { id } = await aContact(scene.ctx, { phone: `+${from}` });
    const namesake = await aContact(scene.ctx);
    const going = await pendingIn('sending', id, `+${from}`);
    const held = await pendingIn('paused', id, `+${from}`);
    // Another contact's row under the same phone, as a merge or a change of phone may leave behind.
    const others = [
      await pendingIn('sending', namesake.id, `+${from}`),
      await pendingIn('paused', namesake.id, `+${from}`),
    ];

    await scene.writes(from, 'STOP');

    const left = await scene.rows(
      'select distinct status, reason from campaign_recipients where campaign_id = any($1)',
      [[going, held, ...others]],
    );
    expect(left).toEqual([{ status: 'skipped', reason: 'opted_out' }]);
  });

  it('leaves a recipient alone that a worker has in hand, and waits for nobody', async () => {
    const from = scene.aPhone();
    const { id } = await aContact(scene.ctx, { phone: `+${from}` });
    const campaign = await pendingIn('sending', id, `+${from}`);

    const statuses = await transact(scene.ctx, async (claim) => {
      await claim.sql.rows('select 1 from campaign_recipients where campaign_id = $1 for update', [
        campaign,
      ]);
      const other = { ...scene.ctx, em: scene.ctx.em.fork() };
      other.em.setFilterParams('tenant', { organizationId: scene.ctx.organizationId });
      await transact(other, (tx) => skipPending(tx, id, 'opted_out'));
      return claim.sql.rows('select status from campaign_recipients where campaign_id = $1', [
        campaign,
      ]);
    });

    expect(statuses).toEqual([{ status: 'pending' }]);
  });

  it('writes one entry into the audit log, however often it comes', async () => {
    const from = scene.aPhone();

    await scene.writes(from, 'STOP');
    await scene.writes(from, 'STOP');

    const entries = await scene.rows(
      `select action, changes from audit_entries where target ->> 'id' = $1 and action like 'contact.opted%'`,
      [(await scene.standing(from))?.id],
    );
    expect(entries).toEqual([
      {
        action: 'contact.opted_out',
        changes: [
          { field: 'opted_out', from: false, to: true },
          { field: 'source', from: null, to: 'message' },
        ],
      },
    ]);
  });
});

describe('a message that asks for messages again', () => {
  it.each(['START', 'Voltar', 'inscrever.'])('takes the opt-out back: %p', async (text) => {
    const from = scene.aPhone();
    await scene.writes(from, 'STOP');

    await scene.writes(from, text);

    expect(await scene.standing(from)).toMatchObject({ opted_out: false, opt_out_source: null });
    // Not even the list remembers.
    await scene.rows('update contacts set phone = null, phone_key = null where phone = $1', [
      `+${from}`,
    ]);
    await scene.rows('delete from contact_identities where value = $1', [`+${from}`]);
    expect((await aContact(scene.ctx, { phone: `+${from}` })).opted_out).toBe(false);
  });

  it('changes nothing for whoever never left', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'START');

    expect(await scene.standing(from)).toMatchObject({ opted_out: false, said: [] });
  });
});

describe('phrases of a workspace', () => {
  it('count beside the common ones, and take one of them away, in that workspace alone', async () => {
    const own = await aWorkspace(scene.stage.database);
    const number = await aNumber(own.ctx);
    await addPhrase(own.ctx, 'Me tira da lista', 'out');
    await removePhrase(own.ctx, 'remover');
    const outcome = async (text: string): Promise<boolean | undefined> => {
      const id = `wamid.own.${text}`;
      const from = scene.aPhone();
      await scene.stage.post(aMessageWebhook(number.phoneNumberId ?? '', { id, from, text }));
      await scene.stage.process();
      const [row] = await rowsOf<{ opted_out: boolean }>(
        own.ctx,
        'select opted_out from contacts where phone = $1',
        [`+${from}`],
      );
      return row?.opted_out;
    };
    const elsewhere = scene.aPhone();

    await scene.writes(elsewhere, 'Me tira da lista!');

    expect([
      await outcome('Me tira da lista!'),
      await outcome('Remover'),
      await outcome('STOP'),
    ]).toEqual([true, false, true]);
    expect((await scene.standing(elsewhere))?.opted_out).toBe(false);
  });
});
