import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lockPeople } from '../../src/contacts/person.ts';
import type { Context } from '../../src/context.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { addresseeOf } from '../../src/conversations/sending/addressing.ts';
import { closeConversation } from '../../src/conversations/service.ts';
import { transact } from '../../src/db/transact.ts';
import { AppError } from '../../src/errors.ts';
import { memberActor } from '../../src/members/actors.ts';
import { suspendMember, updateMember } from '../../src/members/changing.ts';
import { setPresence } from '../../src/members/presence.ts';
import { removeMember } from '../../src/members/removing.ts';
import { aRunScene, type RunScene, type RunStage } from '../automations/running/support/scene.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aMember } from '../support/members.ts';

let stage: RunStage;

beforeAll(async () => {
  const database = await openOwnDatabase({ poolSize: 12 });
  stage = { database, close: () => database.close() };
});
afterAll(() => stage.close());

/** A workspace whose runs tag the person, which enters the log, and then give the conversation to somebody. */
async function aBusyWorkspace() {
  const scene = await aRunScene(stage);
  const { ctx, numberId } = scene;
  const fresh = (): Context => ({ ...ctx, em: ctx.em.fork(), now: new Date() });
  const one = async () => {
    const contactId = (await aContact(ctx)).id;
    return { contactId, conversationId: await aConversation(ctx, { numberId, contactId }) };
  };
  const giving = (team_id: string, member_id: string): Promise<string> =>
    scene.publish([
      { id: 'tag', type: 'add_tag', tag: 'Lead', next: 'give' },
      { id: 'give', type: 'assign', team_id, member_id, next: 'end' },
    ]);
  return { scene, ctx, fresh, one, giving };
}

const times = async <T>(count: number, what: () => Promise<T>): Promise<T[]> => {
  const all: T[] = [];
  for (let i = 0; i < count; i += 1) all.push(await what());
  return all;
};

/** One after the other; what goes wrong otherwise than by a refusal. */
async function failures(work: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const failed: unknown[] = [];
  for (const each of work)
    await each().catch((error: unknown) => {
      if (!(error instanceof AppError)) failed.push(error);
    });
  return failed;
}

const deadlocks = async (scene: RunScene): Promise<number> => {
  const [row] = await scene.rows<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks ?? 0;
};

describe('what assigns conversations at the same moment', () => {
  it('gives them by runs and by people to the same member, and nobody waits in a circle', async () => {
    const { scene, ctx, fresh, one, giving } = await aBusyWorkspace();
    const { id: member_id, teamIds } = await aMember(ctx, { teams: ['Loja'] });
    const team_id = teamIds[0] ?? '';
    const automationId = await giving(team_id, member_id);
    const runs = await times(20, async () => scene.begin(automationId, await one()));
    const others = await times(20, one);

    const failed = await Promise.all([
      failures(runs.map((run) => () => scene.advance(run))),
      failures(
        others.map(
          ({ conversationId }) =>
            () =>
              transferConversation(fresh(), conversationId, { team_id, member_id }),
        ),
      ),
    ]);

    expect(failed.flat()).toEqual([]);
    expect(await deadlocks(scene)).toBe(0);
  });

  it('leaves nothing with those who are suspended, removed or become Viewers meanwhile', async () => {
    const { scene, ctx, fresh, one, giving } = await aBusyWorkspace();
    const leave = [
      (id: string) => suspendMember(fresh(), id),
      (id: string) => removeMember(fresh(), id),
      (id: string) => updateMember(fresh(), id, { role: 'viewer' }),
    ];
    const acts: (readonly (() => Promise<unknown>)[])[] = [];
    for (let i = 0; i < 6; i += 1) {
      const { id: member_id, teamIds } = await aMember(ctx, { teams: ['Loja', `Loja ${i}`] });
      const team_id = teamIds[i % 2] ?? '';
      await scene.rows('update teams set auto_assign = true');
      const automationId = await giving(team_id, member_id);
      const runs = await times(6, async () => scene.begin(automationId, await one()));
      const moved = await times(12, one);
      const closed = await times(12, one);
      await scene.rows(
        'update conversations set assigned_team_id = $2, assigned_member_id = $3 where id = any($1)',
        closed.map(({ conversationId }) => conversationId),
        team_id,
        member_id,
      );
      await scene.rows(
        'update conversations set assigned_team_id = $1, waiting_since = now() where assigned_team_id is null',
        team_id,
      );
      const present = () => setPresence(fresh(), member_id, { online: true });
      acts.push(
        runs.map((run) => () => scene.advance(run)),
        moved.map(
          ({ conversationId }) =>
            () =>
              transferConversation(fresh(), conversationId, { team_id, member_id }),
        ),
        closed.map(
          ({ conversationId }) =>
            () =>
              closeConversation(fresh(), conversationId),
        ),
        Array.from({ length: 8 }, () => present),
        [
          ...Array.from(
            { length: 3 },
            () => () => updateMember(fresh(), member_id, { capacity: 9 }),
          ),
          () => leave[i % 3]?.(member_id) ?? Promise.resolve(),
        ],
      );
    }

    const failed = await Promise.all(acts.map(failures));

    expect(failed.flat()).toEqual([]);
    expect(await deadlocks(scene)).toBe(0);
    const left = await scene.rows(
      `select c.id from conversations c join members m on m.id = c.assigned_member_id
       where m.status <> 'active' or m.role = 'viewer'`,
    );
    expect(left).toEqual([]);
  });

  it.each<[string, (ctx: Context, id: string) => Promise<unknown>]>([
    ['suspended', suspendMember],
    ['removed', removeMember],
    ['changed', (ctx, id) => updateMember(ctx, id, { role: 'viewer' })],
  ])(
    'does not keep from being %s whom a run that makes a reminder gives one',
    async (_, change) => {
      const { scene, ctx, fresh } = await aBusyWorkspace();
      const { id: member_id, teamIds } = await aMember(ctx, { teams: ['Loja'] });
      const run = await scene.start([
        { id: 'give', type: 'assign', team_id: teamIds[0], member_id, next: 'tag' },
        { id: 'tag', type: 'add_tag', tag: 'Lead', next: 'remind' },
        {
          id: 'remind',
          type: 'create_reminder',
          title: 'Ligar',
          text: 'Oi',
          after: 'P1D',
          next: 'end',
        },
      ]);

      // The run has the member, the change the workspace, and each of them waits for the other's.
      const { advanced, changed } = await transact(fresh(), async (tx) => {
        await lockPeople(tx, [scene.contactId], 'no key');
        const advanced = scene.advance(run);
        await untilWaiting(stage.database.app);
        const changed = change(fresh(), member_id);
        await untilWaiting(stage.database.app, 2);
        return { advanced, changed };
      });
      await Promise.all([advanced, changed]);

      // PostgreSQL ends one of the two, which begins again behind the other: the run may find nobody to give it to.
      const made = await scene.rows('select title from reminders');
      const { code } = await scene.run(run);
      expect([
        { made: [{ title: 'Ligar' }], code: null },
        { made: [], code: 'definition_error' },
      ]).toContainEqual({ made, code });
      expect(
        await scene.rows(
          `select id from members where id = $1 and status = 'active' and role <> 'viewer'`,
          member_id,
        ),
      ).toEqual([]);
    },
  );

  it('leaves a conversation with nobody that somebody begins while being suspended', async () => {
    const { scene, ctx, fresh } = await aBusyWorkspace();
    const { id } = await aMember(ctx);
    const actor = await transact(fresh(), ({ sql, organizationId }) =>
      memberActor(sql, organizationId, id, { credentialId: 'ses_1', app: null }),
    );
    const begin = async (): Promise<string | null> => {
      const { id: contactId } = await aContact(ctx);
      const body = { number_id: scene.numberId, contact_id: contactId };
      const { conversationId } = await transact({ ...fresh(), actor: actor ?? ctx.actor }, (tx) =>
        addresseeOf(tx, body),
      );
      const [row] = await scene.rows<{ member: string | null }>(
        'select assigned_member_id as member from conversations where id = $1',
        conversationId,
      );
      return row?.member ?? null;
    };

    expect(await begin()).toBe(id);
    await suspendMember(fresh(), id);
    expect(await begin()).toBeNull();
  });
});
