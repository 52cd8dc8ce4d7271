import { describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { advanceRun } from '../../../src/automations/running/advance.ts';
import type { RunDeps } from '../../../src/automations/running/deps.ts';
import { startRun } from '../../../src/automations/running/starting.ts';
import type { Context } from '../../../src/context.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { createLog } from '../../../src/log.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { recordTrigger } from '../../../src/outbox/happenings.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { eventually } from '../../support/waiting.ts';

const { scene, start, facts } = relayScene();

const say = (id: string, next: string) => ({ id, type: 'send_message', text: id, next });

/** An automation that says, waits for so long, and says again; and somebody to talk to. */
async function aTalk(duration: string) {
  const { ctx, workspaceId } = await aWorkspace(scene.database);
  const { id: numberId } = await aNumber(ctx);
  const { id: contactId } = await aContact(ctx);
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const { id: automationId } = await anActiveAutomation(ctx, {
    name: 'Pausa',
    trigger: { type: 'manual' },
    steps: [
      say('before', 'pause'),
      { id: 'pause', type: 'wait', duration, next: 'after' },
      say('after', 'end'),
      { id: 'end', type: 'end' },
    ],
  });
  const trigger = { type: 'manual', ref: null };
  const rows = <R>(text: string): Promise<R[]> =>
    inWorkspace(scene.database, workspaceId, (sql) => sql.rows<R>(text));
  return {
    ctx,
    workspaceId,
    beginning: { automationId, contactId, conversationId, trigger },
    said: async (): Promise<string[]> => {
      const text = "select text from messages where direction = 'outbound' order by id";
      return (await rows<{ text: string }>(text)).map((message) => message.text);
    },
    run: async () => {
      const [row] = await rows<{ status: string; lane: boolean; workflow: boolean }>(
        'select status, lane_at is not null as lane, has_workflow as workflow from automation_runs',
      );
      return row;
    },
  };
}

/** Takes the run's first steps where no relay runs, as a process that dies during the wait. */
async function waitAndDie({ ctx, workspaceId, beginning }: Awaited<ReturnType<typeof aTalk>>) {
  const { database } = scene;
  const contextFor: RunDeps['contextFor'] = (organizationId, actor): Context =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() });
  const deps: RunDeps = {
    contextFor,
    sender: createSafeSender({ trustedOrigins: [] }),
    log: createLog({ level: 'silent', format: 'json' }),
    clock: { now: () => new Date(), skewMs: 0 },
  };
  const begun = { ...beginning, messageId: null, chain: [], causeRunId: null };
  const started = await transact(ctx, (tx) => startRun(tx, begun));
  if (!('runId' in started)) throw new Error(started.dropped);
  await advanceRun(deps, { organizationId: workspaceId, runId: started.runId }, 'lane');
}

describe('a wait of up to a minute', () => {
  it('is over in the lane, without a workflow', async () => {
    const { waker } = await start();
    const { ctx, workspaceId, beginning, said, run } = await aTalk('PT1S');

    const tx = { ...ctx, actor: system('tests'), wake: waker.wake };
    await transact(tx, (inside) => recordTrigger(inside, beginning));
    await eventually(async () => (await said()).length === 2);

    expect(await said()).toEqual(['before', 'after']);
    await eventually(async () => (await run())?.status === 'succeeded');
    expect(await run()).toEqual({ status: 'succeeded', lane: false, workflow: false });
    expect((await facts(workspaceId)).filter(({ type }) => type === 'run.waiting')).toEqual([]);
  });

  it('outlives the process that began it', async () => {
    const talk = await aTalk('PT2S');
    await waitAndDie(talk);
    expect(await talk.run()).toEqual({ status: 'waiting', lane: true, workflow: false });

    await start();
    await eventually(async () => (await talk.run())?.status === 'succeeded');

    expect(await talk.said()).toEqual(['before', 'after']);
  });

  it('is a workflow when it is longer, which is asked for once', async () => {
    const talk = await aTalk('PT61S');
    await waitAndDie(talk);

    expect(await talk.run()).toEqual({ status: 'waiting', lane: false, workflow: true });
    const told = await facts(talk.workspaceId);
    expect(told.filter(({ type }) => type === 'run.waiting')).toHaveLength(1);
  });
});
