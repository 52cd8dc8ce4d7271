import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { setPresence } from '../../src/members/presence.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene, type Visitor } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let teamId: string;
/** An Agent of a team whose conversations are given to whoever is online. */
let ana: Visitor;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
});
afterAll(() => scene?.close());

beforeEach(async () => {
  const member = await aMember(scene.ctx, { teams: [`Equipe ${Math.random()}`] });
  [teamId = ''] = member.teamIds;
  await rows('update teams set auto_assign = true where id = $1', [teamId]);
  ana = await scene.visitor(member.id);
});

const rows = <R>(text: string, params: readonly unknown[]) => rowsOf<R>(scene.ctx, text, params);

const inbox = (): string => `${scene.base}/inbox`;

/** In seconds from now; null for who is not online. */
async function onlineFor({ memberId }: Visitor): Promise<number | null> {
  const [row] = await rows<{ seconds: string | null }>(
    'select extract(epoch from online_until - now()) as seconds from members where id = $1',
    [memberId],
  );
  return row?.seconds ? Number(row.seconds) : null;
}

const leaveSeconds = ({ memberId }: Visitor, seconds: number): Promise<unknown> =>
  rows(`update members set online_until = now() + $2 * interval '1 second' where id = $1`, [
    memberId,
    seconds,
  ]);

async function aWaiting(): Promise<string> {
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const text =
    'update conversations set assigned_team_id = $2, waiting_since = now() where id = $1';
  await rows(text, [id, teamId]);
  return id;
}

const assigned = async (id: string): Promise<string | null> => {
  const text = 'select assigned_member_id as member from conversations where id = $1';
  return (await rows<{ member: string | null }>(text, [id]))[0]?.member ?? null;
};

it('gives what waits to who opens a page of the console', async () => {
  const id = await aWaiting();

  await ana.get(`${scene.base}/contacts`);

  expect(await assigned(id)).toBe(ana.memberId);
  expect(await onlineFor(ana)).toBeGreaterThan(120);
});

it('is renewed by what asks again, at most once a minute, and never shortened', async () => {
  await ana.get(inbox());
  await leaveSeconds(ana, 140);
  await ana.get(inbox(), { 'HX-Request': 'true' });
  expect(await onlineFor(ana)).toBeLessThan(141);

  await leaveSeconds(ana, 115);
  await ana.get(inbox(), { 'HX-Request': 'true' });
  expect(await onlineFor(ana)).toBeGreaterThan(130);

  await leaveSeconds(ana, 3_600);
  await ana.get(inbox());
  expect(await onlineFor(ana)).toBeGreaterThan(3_500);
});

it('waits for nobody who is changing the person', async () => {
  await transact(scene.ctx, async ({ sql }) => {
    await sql.rows('select from members where id = $1 for update', [ana.memberId]);
    expect((await ana.get(inbox())).status).toBe(200);
  });
  expect(await onlineFor(ana)).toBeNull();
});

it('shows the page also where the database takes no change', async () => {
  await asOwner(
    scene.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin
       raise exception 'it takes too long' using errcode = '57014'; end $$;
     create trigger refused before update on members for each row execute function refuse()`,
  );
  const pages = [await ana.get(inbox()), await ana.get(inbox(), { 'HX-Request': 'true' })];
  await asOwner(scene.databaseUrl, 'drop function refuse cascade');

  expect(pages.map(({ status }) => status)).toEqual([200, 200]);
  expect(await onlineFor(ana)).toBeNull();
});

it('never makes a Viewer online, who answers nobody and sees no switch', async () => {
  const { viewer } = scene.people;

  const { text } = await viewer.get(inbox());

  expect(text).not.toContain('You are here');
  expect(await onlineFor(viewer)).toBeNull();
  expect((await viewer.send(inbox(), 'be-here')).status).toBe(403);
});

it('leaves who says that they are away alone, until they are back', async () => {
  expect((await ana.get(inbox())).text).toContain('You are here');

  await ana.send(inbox(), 'be-away');
  const id = await aWaiting();
  const { text } = await ana.get(inbox());

  expect(text).toContain('You are away');
  expect(await onlineFor(ana)).toBeNull();
  expect(await assigned(id)).toBeNull();

  await ana.send(inbox(), 'be-here');

  expect(await assigned(id)).toBe(ana.memberId);
  expect((await ana.get(inbox())).text).not.toContain('You are away');
});

it('leads back to the list as it was filtered, and tells a tab that is still open', async () => {
  const filtered = `${inbox()}?status=open&member=me`;
  const { text } = await ana.get(filtered);
  const asks =
    /id="conversations" hx-get="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const askedAgain = async (): Promise<string | null> =>
    (await ana.get(asks, { 'HX-Request': 'true' })).headers.get('HX-Refresh');
  expect(await askedAgain()).toBeNull();

  const left = await ana.post(inbox(), formIn(text, 'be-away'));

  expect(left.headers.get('location')).toBe(filtered);
  expect(await askedAgain()).toBe('true');
});

it('ends the being away with the next sign-in, also what an operator said', async () => {
  await setPresence(scene.ctx, ana.memberId, { online: false });
  await rows("update members set away_since = now() - interval '1 hour' where id = $1", [
    ana.memberId,
  ]);

  await (await scene.visitor(ana.memberId)).get(inbox());

  expect(await onlineFor(ana)).not.toBeNull();
});

it('writes into the log what people say, not that they use the console', async () => {
  await ana.get(inbox());
  await ana.send(inbox(), 'be-away');

  const logged = await rows<{ action: string }>(
    "select action from audit_entries where target ->> 'id' = $1 and action ~ 'line$'",
    [ana.memberId],
  );

  expect(logged).toEqual([{ action: 'member.went_offline' }]);
});
