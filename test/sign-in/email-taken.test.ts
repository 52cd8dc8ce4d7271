import { beforeEach, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { removeMember } from '../../src/members/removing.ts';
import { addMember } from '../../src/members/service.ts';
import { untilWaiting } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { ask, freshAddress, linkFor, linkIn, signedInPerson, use } from './support/addresses.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => {
  scene.mails.length = 0;
  return scene.freshCounters();
});

describe('the e-mail address of a person', () => {
  it('stays if somebody else has the other one, which only the reader of its mail learns', async () => {
    const { email, browser } = await signedInPerson(scene);
    const neighbour = await aPerson(scene.ctx);

    const known = await ask(browser, neighbour.email);
    const done = await use(browser, linkIn(scene, '/account/email'));
    const unknown = await ask(browser, 'nobody@example.com');

    expect(known.html.replaceAll(neighbour.email, 'nobody@example.com')).toBe(unknown.html);
    expect(done.status).toBe(409);
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(303);
    expect((await scene.browser().signIn(neighbour.email, PASSWORD)).status).toBe(303);
  });

  it('is one at which somebody was invited only once the invitation is taken back', async () => {
    const there = await aWorkspace(scene.database);
    const { browser } = await signedInPerson(scene);
    const email = freshAddress();
    const invited = await addMember(there.ctx, { email, name: 'Bia Ramos', role: 'agent' });
    const link = await linkFor(scene, browser, email);

    const open = await use(browser, link);
    await removeMember(there.ctx, invited.id);
    const done = await use(browser, link);

    expect([open.status, done.location]).toEqual([409, '/account?done=email']);
    expect(open.html).toContain('was invited to a workspace with this address');
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(303);
  });

  it('stays if the other one is invited anew while the link is used', async () => {
    const there = await aWorkspace(scene.database);
    const { browser } = await signedInPerson(scene);
    const newcomer = { email: freshAddress(), name: 'Bia Ramos', role: 'agent' } as const;
    await removeMember(there.ctx, (await addMember(there.ctx, newcomer)).id);
    const link = await linkFor(scene, browser, newcomer.email);

    const [done] = await transact(there.ctx, async (tx) => {
      await addMember(tx, newcomer);
      const used = use(browser, link);
      await untilWaiting(scene.database.system);
      return [used] as const;
    });

    expect((await done).html).toContain('was invited to a workspace with this address');
  });

  it('is taken by one of two who want it at the same moment', async () => {
    const one = await signedInPerson(scene);
    const two = await signedInPerson(scene);
    const to = freshAddress();
    const links = [
      await linkFor(scene, one.browser, to),
      await linkFor(scene, two.browser, to),
    ] as const;

    const done = await Promise.all([use(one.browser, links[0]), use(two.browser, links[1])]);

    expect(done.map(({ status }) => status).toSorted()).toEqual([303, 409]);
  });
});
