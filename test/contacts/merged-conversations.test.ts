import { describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { mediaRoutes } from '../../src/media/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() =>
  openApi({
    routes: [...mediaRoutes({ uploadMbADay: 1_000 }), ...conversationRoutes, ...contactRoutes],
  }),
);
interface Pair {
  readonly numberId: string;
  /** Contact and conversation of the one who stays, and of the one who goes. */
  readonly stays: { readonly id: string; readonly talk: string };
  readonly goes: { readonly id: string; readonly talk: string };
}

/** Two contacts, each with a conversation on the same number. */
async function aPair(): Promise<Pair> {
  const numberId = (await aNumber(door.ctx)).id;
  const one = async () => {
    const { id } = await aContact(door.ctx);
    return { id, talk: await aConversation(door.ctx, { numberId, contactId: id }) };
  };
  return { numberId, stays: await one(), goes: await one() };
}

const give = (talk: string, set: string): Promise<unknown> =>
  rowsOf(door.ctx, `update conversations set ${set} where id = $1`, [talk]);

const merge = async ({ stays, goes }: Pair): Promise<void> => {
  const path = `/api/v1/contacts/${stays.id}/merge`;
  const { status } = await door.api.call('POST', path, {
    key: door.key,
    body: { contact_id: goes.id },
  });
  expect(status).toBe(200);
};

const ofAssigned = (): Promise<TestMember> => aMember(door.ctx, { visibility: 'assigned' });
const CLOSED = "status = 'closed', closed_at = now()";

describe('the conversations of two contacts on one number', () => {
  it('show their files to whoever sees the one that they become', async () => {
    const pair = await aPair();
    const { numberId, stays, goes } = pair;
    const member = await ofAssigned();
    for (const { talk } of [stays, goes]) await give(talk, `assigned_member_id = '${member.id}'`);
    const file = {
      kind: 'image',
      providerId: '1',
      name: '',
      type: 'image/jpeg',
      numberId,
    } as const;
    const media = await transact(door.ctx, (tx) =>
      expectMedia(tx, { ...file, conversationId: goes.talk }),
    );
    await rowsOf(
      door.ctx,
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
         source, media_id, created_at)
       values ($1, $2, $3, $4, $5, 'inbound', 'image', '', 'received', 'contact', $6, now())`,
      [door.ctx.organizationId, newId('msg'), goes.talk, numberId, goes.id, media],
    );
    const seen = (path: string, by = member.token): Promise<Reply> =>
      door.api.call('GET', `/api/v1/${path}`, { key: by });

    await merge(pair);

    const messages = await seen(`conversations/${stays.talk}/messages`);
    expect(messages.body.data).toMatchObject([{ media_id: media }]);
    expect((await seen(`media/${media}`)).status).toBe(200);
    expect((await seen(`media/${media}`, (await ofAssigned()).token)).status).toBe(404);
  });

  it.each([
    ['of the open one, where the other is closed', 'goes', CLOSED, ''],
    ['of the survivor’s, where both are open', 'stays', '', ''],
    ['of the survivor’s, where both are closed', 'stays', CLOSED, CLOSED],
    ['of the survivor’s, where only the other is closed', 'stays', '', CLOSED],
  ] as const)('become one that keeps the people %s', async (_which, whose, own, other) => {
    const pair = await aPair();
    const { stays, goes } = pair;
    const ana = await aMember(door.ctx, { teams: ['Vendas'] });
    const bia = await ofAssigned();
    const hers = `assigned_member_id = '${ana.id}', assigned_team_id = '${ana.teamIds[0]}'`;
    await give(stays.talk, [hers, own].filter(Boolean).join(', '));
    await give(goes.talk, [`assigned_member_id = '${bia.id}'`, other].filter(Boolean).join(', '));

    await merge(pair);

    expect(await assignedTo(stays.talk)).toEqual(
      whose === 'goes' ? { team: null, member: bia.id } : { team: ana.teamIds[0], member: ana.id },
    );
  });

  it.each([
    ['both are open', "opened_at = '2026-11-02'", "opened_at = '2026-11-01'", '2026-11-01', null],
    [
      'only the other is open',
      "opened_at = '2026-11-01', status = 'closed', closed_at = '2026-11-03'",
      "opened_at = '2026-11-04'",
      ...['2026-11-04', null],
    ],
    [
      'only the survivor’s is open',
      "opened_at = '2026-11-04'",
      "opened_at = '2026-11-01', status = 'closed', closed_at = '2026-11-03'",
      ...['2026-11-04', null],
    ],
    [
      'both are closed',
      "opened_at = '2026-11-02', status = 'closed', closed_at = '2026-11-03'",
      "opened_at = '2026-11-01', status = 'closed', closed_at = '2026-11-05'",
      ...['2026-11-01', '2026-11-05'],
    ],
  ] as const)(
    'become one that is open since, or was closed, as the two were: %s',
    async (...of) => {
      const [, own, other, opened, closed] = of;
      const pair = await aPair();
      await give(pair.stays.talk, own);
      await give(pair.goes.talk, other);

      await merge(pair);

      expect(await standing(pair.stays.talk)).toMatchObject({
        status: closed === null ? 'open' : 'closed',
        opened_at: at(opened),
        closed_at: at(closed),
      });
    },
  );

  it('become one that waits since the earlier message, answered by whoever answered one of them', async () => {
    const pair = await aPair();
    await give(pair.stays.talk, "waiting_since = '2026-11-02', handled_by = 'none'");
    await give(pair.goes.talk, "waiting_since = '2026-11-01', handled_by = 'automation'");

    await merge(pair);

    expect(await standing(pair.stays.talk)).toMatchObject({
      waiting_since: at('2026-11-01'),
      handled_by: 'automation',
    });
  });

  it.each([
    ['neither', true, true],
    ['the one that goes', true, false],
    ['the one that stays', false, true],
  ])(
    'become one into which the person wrote, where they did into one of them: %s',
    async (...of) => {
      const [, own, other] = of;
      const pair = await aPair();
      // Until then the window was opened by something else than a message of theirs.
      const window = (isUnwritten: boolean): string =>
        `window_expires_at = '2026-11-02', unwritten_until = ${isUnwritten ? "'2026-11-02'" : 'null'}`;
      await give(pair.stays.talk, window(own));
      await give(pair.goes.talk, window(other));

      await merge(pair);

      const [merged] = await rowsOf<{ until: Date | null }>(
        door.ctx,
        'select unwritten_until as until from conversations where id = $1',
        [pair.stays.talk],
      );
      expect(merged?.until).toEqual(own && other ? at('2026-11-02') : null);
    },
  );

  it('become one in which what was silenced in either stays so', async () => {
    const pair = await aPair();
    const through = newId('msg');
    await give(pair.goes.talk, `silenced_through = '${through}'`);

    await merge(pair);

    expect(
      await rowsOf(door.ctx, 'select silenced_through from conversations where id = $1', [
        pair.stays.talk,
      ]),
    ).toEqual([{ silenced_through: through }]);
  });

  it('become one of whoever has either, where the open one is nobody’s', async () => {
    const pair = await aPair();
    const member = await ofAssigned();
    await give(pair.stays.talk, `assigned_member_id = '${member.id}', ${CLOSED}`);

    await merge(pair);

    expect(await assignedTo(pair.stays.talk)).toEqual({ team: null, member: member.id });
  });
});

const assignedTo = async (talk: string): Promise<unknown> =>
  (
    await rowsOf(
      door.ctx,
      'select assigned_team_id as team, assigned_member_id as member from conversations where id = $1',
      [talk],
    )
  )[0];

const at = (day: string | null): Date | null => (day === null ? null : new Date(day));

const standing = async (talk: string): Promise<unknown> =>
  (
    await rowsOf(
      door.ctx,
      'select status, opened_at, closed_at, waiting_since, handled_by from conversations where id = $1',
      [talk],
    )
  )[0];
