import { describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import type { Reaction } from '../../src/relay/reactions.ts';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { relayScene } from '../support/relay-scene.ts';

const { scene, anEndpointOf } = relayScene();

describe('the reconciler', () => {
  it('asks for every campaign that should be running, page by page, and for no other', async () => {
    const { workspaceId } = await anEndpointOf();
    const campaign = (id: string, status: string, at: string) =>
      inWorkspace(scene.database, workspaceId, (sql) =>
        sql.rows(
          `insert into campaigns (organization_id, id, name, status, target, text, created_by, started_at, send_at, created_at)
           values ($1, $2, 'n', $3, 'contacts', 't', '{}', now() + $4::interval, now() + $4::interval, now())`,
          [workspaceId, id, status, at],
        ),
      );
    const stopped = async (id: string, status: string, unsettled: boolean, at: string) => {
      await campaign(id, status, at);
      await inWorkspace(scene.database, workspaceId, (sql) =>
        sql.rows('update campaigns set unsettled = $2, finished_at = started_at where id = $1', [
          id,
          unsettled,
        ]),
      );
    };
    await campaign('cmp_a', 'sending', '-1 minute');
    // Just begun or ended, however long this test takes.
    await campaign('cmp_b', 'sending', '1 minute');
    await campaign('cmp_c', 'scheduled', '1 hour');
    await campaign('cmp_d', 'scheduled', '3 days');
    await campaign('cmp_e', 'paused', '-1 minute');
    await stopped('cmp_f', 'cancelled', true, '-1 minute');
    await stopped('cmp_g', 'cancelled', true, '1 minute');
    await stopped('cmp_h', 'cancelled', false, '-1 minute');
    await stopped('cmp_i', 'paused', true, '-1 minute');
    for (let n = 0; n < 120; n += 1) await campaign(`cmp_s${n}`, 'sending', '-1 hour');
    const asked: string[] = [];
    const perform = async (reaction: { workflowId: string }): Promise<void> => {
      asked.push(reaction.workflowId);
    };
    const reconcile = createReconciler({ database: scene.database, calls: { perform } });

    await reconcile();
    expect(asked).toHaveLength(100);
    await reconcile();

    expect(new Set(asked).size).toBe(124);
    for (const id of ['cmp_a', 'cmp_c', 'cmp_f', 'cmp_i'])
      expect(asked).toContain(`campaign:${id}`);
    for (const id of ['cmp_b', 'cmp_d', 'cmp_e', 'cmp_g', 'cmp_h'])
      expect(asked).not.toContain(`campaign:${id}`);
  });

  it('wakes what is overdue once in five minutes: while its activity fails, each wake only makes its history longer', async () => {
    const { workspaceId } = await anEndpointOf();
    await inWorkspace(scene.database, workspaceId, (sql) =>
      sql.rows(
        `insert into campaigns (organization_id, id, name, status, target, text, created_by, send_at, created_at)
         values ($1, 'cmp_late', 'n', 'scheduled', 'contacts', 't', '{}', now() - interval '1 hour', now())`,
        [workspaceId],
      ),
    );
    const asked: string[] = [];
    let isAway = true;
    let ms = 0;
    const perform = async ({ workflowId, kind }: Reaction): Promise<void> => {
      if (workflowId !== 'campaign:cmp_late') return;
      asked.push(kind);
      if (isAway) throw new Error('Temporal is away.');
    };
    const { database } = scene;
    const reconcile = createReconciler({ database, calls: { perform }, elapsed: () => ms });
    const round = () => reconcile().catch(() => {});
    const rounds = async (...times: number[]): Promise<string[]> => {
      asked.length = 0;
      for (const at of times) {
        ms = at;
        // The campaigns of the workspaces here take more than a page.
        await round();
        await round();
      }
      return [...asked];
    };

    expect(await rounds(0)).toEqual(['startOrWake']);
    isAway = false;
    expect(await rounds(5_000, 10_000, 300_000)).toEqual(['startOrWake', 'start', 'start']);
    expect(await rounds(305_000)).toEqual(['startOrWake']);
  });
});
