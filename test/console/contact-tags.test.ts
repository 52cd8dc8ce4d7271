import { expect, it } from '@jest/globals';
import { getContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('takes out a tag that has blanks around it, and adds it no second time', async () => {
  const { organizationId } = scene.ctx;
  const { id } = await aContact(scene.ctx, { name: 'Ana' });
  await inWorkspace(scene.database, organizationId, (sql) =>
    sql.rows(`update contacts set tags = '{" VIP",praia}' where id = $1`, [id]),
  );
  const save = async (shown: string, written: string) => {
    const sent = { name: 'Ana', shown_name: 'Ana', shown_tags: shown, tags: written };
    const page = `${scene.base}/contacts/${id}`;
    const rest = { shown_phone: '', shown_email: '', shown_notes: '' };
    const { status } = await scene.people.agent.send(page, 'save', { ...rest, ...sent });
    const { tags } = await inWorkspace(scene.database, organizationId, (sql) =>
      getContact({ ...scene.ctx, sql }, id),
    );
    return { status, tags };
  };

  expect(await save('praia', 'praia\nVIP')).toEqual({ status: 303, tags: [' VIP', 'praia'] });
  expect(await save(' VIP\npraia', 'praia')).toEqual({ status: 303, tags: ['praia'] });
});
