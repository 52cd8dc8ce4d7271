import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachLimited } from '../../src/concurrency.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { suspendMember } from '../../src/members/changing.ts';
import { memberToChange } from '../../src/members/managing.ts';
import { removeMember } from '../../src/members/removing.ts';
import { inviteAgain, inviteMember, renewInvitation } from '../../src/people/invitations.ts';
import { untilWaiting } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { eventually } from '../support/waiting.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => {
  scene.mails.length = 0;
  return scene.freshCounters();
});

const REFUSE_LINKS = `
  create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by the test'; end $$;
  create trigger refused before delete on invitations for each row execute function refuse()`;

let count = 0;
const newAddress = (): string => {
  count += 1;
  return `nova${count}@example.com`;
};

const invite = async (
  email = newAddress(),
): Promise<{ id: string; email: string; link: string }> => {
  const input = { email, name: 'Bia', role: 'agent' } as const;
  const { member, mailed } = await inviteMember(scene.ctx, scene.parts, input);
  if (!mailed) throw new Error('no mail');
  return { id: member.id, email, link: lastLink() };
};

const lastLink = (): string =>
  /http:\/\/api\.test(\/invitations\/[\w-]{43})\n/.exec(scene.mails.at(-1)?.text ?? '')?.[1] ?? '';

const statusOf = async (id: string): Promise<unknown> => {
  const rows = await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    sql.rows<{ status: string }>('select status from members where id = $1', [id]),
  );
  return rows[0]?.status;
};

describe('an invitation', () => {
  it('is mailed, and lets a new person in with a password of their own', async () => {
    const { id, email, link } = await invite();
    const browser = scene.browser();

    const page = await browser.get(link);
    const short = await browser.post(link, { password: 'short' });
    const done = await browser.post(link, { password: PASSWORD });

    expect(scene.mails[0]).toMatchObject({ to: email, subject: 'Convite para Padaria Aurora' });
    expect(page.html).toContain('You are invited to Padaria Aurora');
    expect([short.status, await statusOf(id)]).toEqual([422, 'active']);
    expect([done.status, done.location]).toEqual([303, `/console/${scene.ctx.organizationId}`]);
    expect((await browser.get('/account')).html).toContain(email);
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(303);
    expect((await scene.browser().get(link)).status).toBe(404);
  });

  it('leaves no link for a forgotten password that was mailed before', async () => {
    const { email, link } = await invite();
    await scene.browser().post('/reset-password', { email });
    await eventually(() => scene.mails.length > 1);
    const reset = /http:\/\/api\.test(\/reset-password\/[\w-]{43})\n/.exec(
      scene.mails.at(-1)?.text ?? '',
    )?.[1];
    const before = await scene.browser().get(reset ?? '');

    await scene.browser().post(link, { password: PASSWORD });

    expect([before.status, (await scene.browser().get(reset ?? '')).status]).toEqual([200, 404]);
  });

  it('can be tried again where it was cut short, with the password that was chosen', async () => {
    const { id, email, link } = await invite();
    await asOwner(scene.database.url, REFUSE_LINKS);
    const cut = await scene.browser().post(link, { password: PASSWORD });
    await asOwner(scene.database.url, 'drop function refuse cascade');
    const before = await statusOf(id);

    const browser = scene.browser();
    const signedIn = await browser.signIn(email, PASSWORD);
    const done = await browser.send(link, link, {});

    expect([cut.status >= 500, before, signedIn.status]).toEqual([true, 'invited', 303]);
    expect(done.location).toBe(`/console/${scene.ctx.organizationId}`);
    expect(await statusOf(id)).toBe('active');
  });

  it('lets a person who has an account in only when they are signed in as themselves', async () => {
    const other = await aWorkspace(scene.database, { name: 'Oficina Sul' });
    const person = await aPerson(other.ctx);
    const { id, link } = await invite(person.email);
    const stranger = scene.browser();
    await stranger.signIn((await aPerson(scene.ctx)).email, PASSWORD);
    const browser = scene.browser();

    const asked = await browser.get(link);
    const overwritten = await browser.post(link, { password: 'the password of a thief' });
    const wrong = await stranger.post(link, {});
    const before = await statusOf(id);
    await browser.signIn(person.email, PASSWORD);
    const done = await browser.send(link, link, {});

    expect(asked.html).toContain('You have an account already');
    expect([overwritten.location, wrong.location, before]).toEqual([link, link, 'invited']);
    expect(done.location).toBe(`/console/${scene.ctx.organizationId}`);
    expect(await statusOf(id)).toBe('active');
  });

  it('is of no use any more when another one was sent, after 7 days, and when the person was suspended or removed', async () => {
    const replaced = await invite();
    const late = await invite();
    const suspended = await invite();
    const removed = await invite();
    await inviteAgain(scene.ctx, scene.parts, replaced.id);
    const again = lastLink();
    await suspendMember(scene.ctx, suspended.id);
    await removeMember(scene.ctx, removed.id);
    const status = async (link: string): Promise<number> =>
      (await scene.browser().post(link, { password: PASSWORD })).status;

    expect((await scene.browser().get(suspended.link)).status).toBe(404);
    expect([await status(replaced.link), await status(again)]).toEqual([404, 303]);
    expect([await status(suspended.link), await status(removed.link)]).toEqual([404, 404]);
    scene.setNow(new Date(Date.now() + 7 * 86_400_000 + 1));
    expect(await status(late.link)).toBe(404);
    scene.setNow(null);
  });

  it('is replaced while it is accepted: the newer one lets them in with the password that they chose', async () => {
    const { id, email, link } = await invite();

    const { accepting, newer } = await transact(scene.ctx, async (tx) => {
      await memberToChange(tx, id);
      const accepting = scene.browser().post(link, { password: PASSWORD });
      await untilWaiting(scene.database.system);
      return { accepting, newer: new URL((await renewInvitation(tx, scene.parts, id)).link) };
    });
    const { status } = await accepting;
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);
    const done = await browser.send(newer.pathname, newer.pathname, {});

    expect([status, done.location]).toEqual([404, `/console/${scene.ctx.organizationId}`]);
    expect(await statusOf(id)).toBe('active');
  });

  it('lets nobody in who is suspended while they accept it', async () => {
    const { id, link } = await invite();

    const { accepting } = await transact(scene.ctx, async (tx) => {
      await suspendMember(tx, id);
      const accepting = scene.browser().post(link, { password: PASSWORD });
      await untilWaiting(scene.database.system);
      return { accepting };
    });

    expect((await accepting).status).toBe(404);
    expect(await statusOf(id)).toBe('suspended');
  });

  it('stands although no mail server takes the mail, and can be sent again', async () => {
    const failing = {
      ...scene.parts,
      mailer: { send: () => Promise.reject(new Error('away')), close: () => {} },
    };
    const input = { email: newAddress(), name: 'Bia', role: 'agent' } as const;

    const { member, mailed } = await inviteMember(scene.ctx, failing, input);
    const again = await inviteAgain(scene.ctx, scene.parts, member.id);

    expect([mailed, member.status, again.mailed]).toEqual([false, 'invited', true]);
  });

  it('is for people who have not come in yet', async () => {
    const { memberId } = await aPerson(scene.ctx);

    await expect(inviteAgain(scene.ctx, scene.parts, memberId)).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('is mailed three times an hour to one person, and the link that was mailed last stays good', async () => {
    const { id, email, link: first } = await invite();
    await inviteAgain(scene.ctx, scene.parts, id);
    await inviteAgain(scene.ctx, scene.parts, id);
    const link = lastLink();

    const refused = { code: 'conflict', details: { possible_at: expect.any(String) } };
    await expect(inviteAgain(scene.ctx, scene.parts, id)).rejects.toMatchObject(refused);
    expect(scene.mails).toHaveLength(3);
    expect((await scene.browser().get(first)).status).toBe(404);
    expect((await scene.browser().get(link)).status).toBe(200);

    await removeMember(scene.ctx, id);
    await expect(invite(email.toUpperCase())).rejects.toMatchObject(refused);
    expect(await statusOf(id)).toBeUndefined();
    await invite();
    const { ctx } = await aWorkspace(scene.database);
    const elsewhere = { email, name: 'Bia', role: 'agent' } as const;
    expect(await inviteMember(ctx, scene.parts, elsewhere)).toMatchObject({ mailed: true });
  });

  it('goes to a hundred people an hour from one workspace', async () => {
    const to = (organizationId: string, i: number) =>
      scene.parts.attempts.invitation({ organizationId, email: `p${i}@example.com` });
    const { organizationId } = scene.ctx;
    const waits: number[] = [];
    // As many as get a connection at once: whoever waits for one gives up after a while.
    await forEachLimited(8, [...Array(101).keys()], async (i) =>
      waits.push(await to(organizationId, i)),
    );

    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(100);
    expect(await to('org_another', 0)).toBe(0);
  });
});
