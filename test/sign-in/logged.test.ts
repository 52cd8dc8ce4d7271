import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AuditRecord, listAudit } from '../../src/audit/reading.ts';
import { verifyChain } from '../../src/audit/verify.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { suspendMember } from '../../src/members/changing.ts';
import { inviteMember } from '../../src/people/invitations.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { eventually } from '../support/waiting.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => {
  scene.mails.length = 0;
  return scene.freshCounters();
});

/** What the workspace's log says of a member, oldest first. */
const logOf = async ({ organizationId }: Context, memberId: string): Promise<AuditRecord[]> => {
  const entries = await inWorkspace(scene.database, organizationId, (sql) =>
    listAudit({ sql, organizationId }, { before: null, limit: 1_000 }),
  );
  return entries.filter(({ target }) => target.id === memberId).toReversed();
};
const actionsOf = async (ctx: Context, memberId: string): Promise<string[]> =>
  (await logOf(ctx, memberId)).map(({ action }) => action).slice(1);

const linkIn = (kind: string): string =>
  new RegExp(`http://api\\.test(/${kind}/[\\w-]{43})\n`).exec(
    scene.mails.at(-1)?.text ?? '',
  )?.[1] ?? '';

describe('the log of a workspace', () => {
  it('names who signed in, how and from where, in each workspace where the person is active, and in no other', async () => {
    const { ctx: here } = scene;
    const there = await aWorkspace(scene.database);
    const left = await aWorkspace(scene.database);
    const foreign = await aWorkspace(scene.database);
    const { email, memberId } = await aPerson(here);
    const other = await aPerson(there.ctx, { email, name: 'Beatriz' });
    const gone = await aPerson(left.ctx, { email });
    await suspendMember(left.ctx, gone.memberId);

    await scene.browser().signIn(email, 'wrong horse');
    await scene.browser().signIn(email, PASSWORD);

    const [, entry, ...more] = await logOf(here, memberId);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: 'member.signed_in',
      actor: { type: 'member', id: memberId, name: 'Bia Ramos', member_id: memberId, app_id: null },
      target: { type: 'member', id: memberId, name: 'Bia Ramos' },
      changes: [{ field: 'by', from: null, to: 'password' }],
      ip: '127.0.0.1',
      userAgent: 'node',
      requestId: expect.stringMatching(/^req_/),
    });
    const [, same] = await logOf(there.ctx, other.memberId);
    expect(same?.actor).toMatchObject({ id: other.memberId, name: 'Beatriz' });
    expect(await actionsOf(left.ctx, gone.memberId)).toEqual(['member.suspended']);
    for (const { organizationId } of [here, there.ctx, left.ctx, foreign.ctx]) {
      const chain = await inWorkspace(scene.database, organizationId, (sql) =>
        verifyChain({ sql, organizationId }),
      );
      expect(chain.brokenAt).toBeNull();
    }
  });

  it('says once that guessing locked an account, whoever goes on guessing', async () => {
    const { email, memberId } = await aPerson(scene.ctx);
    const guess = async (who: string): Promise<number> =>
      (await scene.browser().signIn(who, 'wrong horse')).status;

    for (let n = 0; n < 8; n += 1) await guess(email);
    for (let n = 0; n < 6; n += 1) await guess('nobody@example.com');

    await eventually(async () => (await actionsOf(scene.ctx, memberId)).length > 0);
    await guess(email);
    const [, entry, ...more] = await logOf(scene.ctx, memberId);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: 'member.sign_in_locked',
      actor: { type: 'system', id: null, member_id: null },
      ip: '127.0.0.1',
    });
  });

  it('says nothing of an account that nobody guessed at, though its address was stopped', async () => {
    const { email, memberId } = await aPerson(scene.ctx);
    const guessed = await aPerson(scene.ctx);
    const wrongly = async (who: string): Promise<number> =>
      (await scene.browser().signIn(who, 'wrong horse')).status;
    for (let n = 0; n < 60; n += 1)
      await scene.parts.attempts.password({ email: `random${n}@example.com`, ip: '127.0.0.1' });

    expect(await wrongly(email)).toBe(429);
    await scene.freshCounters();
    for (let n = 0; n < 6; n += 1) await wrongly(guessed.email);

    await eventually(async () => (await actionsOf(scene.ctx, guessed.memberId)).length > 0);
    expect(await actionsOf(scene.ctx, memberId)).toEqual([]);
  });

  it('keeps what a person does to their way in: password, passkeys, other browsers', async () => {
    const { email, memberId, userId } = await aPerson(scene.ctx);
    const browser = scene.browser();
    const phone = scene.browser();
    await phone.signIn(email, PASSWORD);
    await browser.signIn(email, PASSWORD);
    await scene.database.system.query(
      `insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
       values ('key-1', $1, 'My laptop', '', 0, '{}', now())`,
      [userId],
    );

    await browser.send('/account', '/account/sessions', {});
    await browser.send('/account', '/account/sessions', {});
    await browser.send('/account', '/account/passkeys/remove', { passkey: 'key-1' });
    await browser.send('/account', '/account/passkeys/remove', { passkey: 'key-1' });
    const fresh = { current: PASSWORD, password: 'a new password' };
    await browser.send('/account', '/account/password', { ...fresh, current: 'wrong' });
    await browser.send('/account', '/account/password', fresh);
    await browser.post('/reset-password', { email });
    await eventually(() => linkIn('reset-password') !== '');
    await browser.post(linkIn('reset-password'), { password: 'another password' });

    const entries = await logOf(scene.ctx, memberId);
    expect(entries.slice(1).map(({ action, changes }) => [action, ...changes])).toEqual([
      ['member.signed_in', expect.anything()],
      ['member.signed_in', expect.anything()],
      ['member.sessions_ended', { field: 'ended', from: null, to: 1 }],
      ['member.passkey_removed', { field: 'passkey', from: 'My laptop', to: null }],
      ['member.password_changed'],
      ['member.password_reset'],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/a new password|another password|correct horse/);
  });

  it('names the person who accepts an invitation', async () => {
    const input = { email: 'nova@example.com', name: 'Nova', role: 'agent' } as const;
    const { member } = await inviteMember(scene.ctx, scene.parts, input);

    await scene.browser().post(linkIn('invitations'), { password: PASSWORD });

    const [, joined, entered] = await logOf(scene.ctx, member.id);
    expect(joined).toMatchObject({
      action: 'member.joined',
      actor: { type: 'member', id: member.id, name: 'Nova' },
    });
    expect([entered?.action, entered?.changes]).toEqual([
      'member.signed_in',
      [{ field: 'by', from: null, to: 'invitation' }],
    ]);
  });
});
