import { beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { templateRoutes } from '../../src/templates/routes.ts';
import { requireTemplate } from '../../src/templates/service.ts';
import { openApi } from '../support/api.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aTemplate } from '../support/factories/templates.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: templateRoutes }));
let one: string;
let other: string;

beforeAll(async () => {
  [one, other] = [(await aNumber(door.ctx)).id, (await aNumber(door.ctx)).id];
  const body = JSON.stringify([{ type: 'BODY', text: 'Olá {{1}}, seu pedido {{2}} está pronto.' }]);
  await rowsOf(
    door.ctx,
    `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       values ($1, $2, 'pedido', 'pt_BR', 'UTILITY', 'APPROVED', $4, now()),
         ($1, $2, 'pedido', 'en_US', 'UTILITY', 'APPROVED', $4, now()),
         ($1, $2, 'oferta', 'pt_BR', 'MARKETING', 'REJECTED', $4, now()),
         ($1, $3, 'aviso', 'pt_BR', 'UTILITY', 'APPROVED', $4, now())`,
    [door.ctx.organizationId, one, other, body],
  );
});
const list = (query = '', by = door.key): Promise<Reply> =>
  door.api.call('GET', `/api/v1/templates${query}`, { key: by });
const named = ({ body }: Reply): string[] =>
  body.data.map(({ name, language }: Record<string, string>) => `${name} ${language}`);

describe('the templates', () => {
  it('are the approved ones of a number, with their words and how many parameters they take', async () => {
    const reply = await list(`?number_id=${one}`);

    expect(named(reply)).toEqual(['pedido en_US', 'pedido pt_BR']);
    expect(reply.body.data[1]).toEqual({
      name: 'pedido',
      language: 'pt_BR',
      category: 'UTILITY',
      number_id: one,
      body: 'Olá {{1}}, seu pedido {{2}} está pronto.',
      parameters: 2,
    });
  });

  it('are those of every number where none is named, page by page', async () => {
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);

    expect([...named(first), ...named(second)].toSorted()).toEqual([
      'aviso pt_BR',
      'pedido en_US',
      'pedido pt_BR',
    ]);
    expect(second.body.next_cursor).toBeNull();
  });

  it('go on behind one with the longest name that WhatsApp knows', async () => {
    const number = (await aNumber(door.ctx)).id;
    await rowsOf(
      door.ctx,
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
         select $1, $2, repeat(letter, 512), 'pt_BR', 'UTILITY', 'APPROVED', '[]', now() from unnest('{a,b}'::text[]) letter`,
      [door.ctx.organizationId, number],
    );

    const first = await list(`?number_id=${number}&limit=1`);
    const second = await list(`?number_id=${number}&limit=1&cursor=${first.body.next_cursor}`);

    expect([...named(first), ...named(second)]).toEqual([
      `${'a'.repeat(512)} pt_BR`,
      `${'b'.repeat(512)} pt_BR`,
    ]);
  });

  it('take a parameter once, however often their words have it', async () => {
    const number = (await aNumber(door.ctx)).id;
    await aTemplate(door.ctx, number, { text: 'Oi {{1}}! {{1}}, o pedido {{2}} está pronto.' });

    expect((await list(`?number_id=${number}`)).body.data).toMatchObject([{ parameters: 2 }]);
  });

  it('are refused where WhatsApp has rejected them', async () => {
    const { organizationId } = door.ctx;
    const number = (await aNumber(door.ctx)).id;
    await aTemplate(door.ctx, number);
    await rowsOf(door.ctx, "update templates set status = 'REJECTED' where number_id = $1", [
      number,
    ]);
    const wanted = { name: 'pedido_pronto', language: 'pt_BR', parameters: ['Ana', '42'] };

    const sent = inWorkspace(door.database, organizationId, (sql) =>
      requireTemplate({ sql, organizationId }, number, wanted),
    );

    await expect(sent).rejects.toMatchObject({ details: [{ rule: 'unknown_template' }] });
  });

  it('are hidden with their number', async () => {
    const { token } = await aMember(door.ctx, { visibility: 'teams', teams: ['Outra'] });

    expect((await list('', token)).body.data).toEqual([]);
  });

  it('are not those whose header or buttons need what cannot be sent here', async () => {
    const body = { type: 'BODY', text: 'Oi {{nome}}' };
    const parts: Record<string, object[]> = {
      ok_plain: [{ type: 'HEADER', format: 'TEXT', text: 'Loja' }, body],
      ok_buttons: [
        body,
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'Sim' },
            { type: 'URL', url: 'https://loja.example' },
          ],
        },
      ],
      no_header: [{ type: 'HEADER', format: 'TEXT', text: 'Pedido {{1}}' }, body],
      no_picture: [{ type: 'HEADER', format: 'IMAGE' }, body],
      no_link: [
        body,
        { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://loja.example/{{1}}' }] },
      ],
      no_code: [body, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
      no_cards: [body, { type: 'CAROUSEL', cards: [] }],
    };
    const number = (await aNumber(door.ctx)).id;
    await rowsOf(
      door.ctx,
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
         select $1, $2, t.key, 'pt_BR', 'UTILITY', 'APPROVED', t.value, now() from jsonb_each($3::jsonb) t`,
      [door.ctx.organizationId, number, JSON.stringify(parts)],
    );

    const refusals = await inWorkspace(door.database, door.ctx.organizationId, async (sql) => {
      await sql.rows('insert into template_syncs values ($1, $2, now(), now())', [
        door.ctx.organizationId,
        number,
      ]);
      const rules: unknown[] = [];
      for (const name of Object.keys(parts)) {
        const wanted = { name, language: 'pt_BR', parameters: ['Ana'] };
        const checked = requireTemplate(
          { sql, organizationId: door.ctx.organizationId },
          number,
          wanted,
        );
        rules.push(
          await checked.then(
            () => name,
            ({ details }) => details[0].rule,
          ),
        );
      }
      return rules;
    });
    const reply = await list(`?number_id=${number}`);

    expect(refusals).toEqual(['ok_plain', 'ok_buttons', ...Array(5).fill('unsupported')]);
    expect(named(reply)).toEqual(['ok_buttons pt_BR', 'ok_plain pt_BR']);
    expect(reply.body.data[0]).toMatchObject({ body: 'Oi {{nome}}', parameters: 1 });
  });
});
