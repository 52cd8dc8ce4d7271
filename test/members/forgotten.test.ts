import { expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { asSystem } from '../../src/db/database.ts';
import { removeMember } from '../../src/members/removing.ts';
import { forgetPastSignIns } from '../../src/people/upkeep.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, signedInCookie } from '../support/people.ts';

const database = opened(openOwnDatabase);

const rows = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> =>
  asSystem(database, (sql) => sql.rows<R>(text, params));

/** Of these e-mail addresses those that are kept after the upkeep. */
async function keptOf(...emails: string[]): Promise<string[]> {
  await forgetPastSignIns(database);
  const kept = await rows<{ email: string }>('select email from people where email = any($1)', [
    emails,
  ]);
  return kept.map(({ email }) => email);
}

async function twoWorkspaces(): Promise<[Context, Context]> {
  return [(await aWorkspace(database)).ctx, (await aWorkspace(database)).ctx];
}

it('whom no workspace has any more is forgotten, with what they signed in by', async () => {
  const [here, there] = await twoWorkspaces();
  const { email, memberId, userId } = await aPerson(here);
  const { memberId: elsewhere } = await aPerson(there, { email });
  const { email: stays } = await aPerson(here);
  await rows(
    `insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
     values ('key_1', $1, 'Celular', '', 0, '{}', now())`,
    [userId],
  );

  await removeMember(here, memberId);
  expect(await keptOf(email)).toEqual([email]);
  await removeMember(there, elsewhere);

  expect(await keptOf(email, stays)).toEqual([stays]);
  expect(await rows('select id from passkeys')).toEqual([]);
});

it('whoever is signed in is kept until that is over, and can be let in again', async () => {
  const [here, there] = await twoWorkspaces();
  const { email, memberId, userId } = await aPerson(here);
  await signedInCookie(here, database, memberId);

  await removeMember(here, memberId);
  expect(await keptOf(email)).toEqual([email]);
  expect((await aPerson(there, { email })).userId).toBe(userId);
  await rows(`update person_sessions set last_seen_at = now() - interval '15 days'`);
  expect(await keptOf(email)).toEqual([email]);

  const [{ id = '' } = {}] = await rows<{ id: string }>(
    'select id from members where user_id = $1',
    [userId],
  );
  await removeMember(there, id);
  expect(await keptOf(email)).toEqual([]);
});
