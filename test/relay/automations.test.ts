import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { sqlOver } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { recordTrigger, recordWritten } from '../../src/outbox/happenings.ts';
import { measures, noFigures } from '../../src/relay/figures.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { relayScene } from '../support/relay-scene.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start, stop } = relayScene();

const END = { id: 'end', type: 'end' };

/** A workspace in which so many people each start a run of an automation that ends at once, or waits before. */
async function aCrowd(count: number, steps: readonly object[] = [END]) {
  const { ctx } = await aWorkspace(scene.database);
  const { id: automationId } = await anActiveAutomation(ctx, {
    trigger: { type: 'manual' },
    steps,
  });
  await happensTo(ctx, automationId, count);
  const rows = <R extends object>(text: string, ...params: unknown[]) =>
    rowsOf<R>(ctx, text, params);
  return {
    ctx,
    automationId,
    rows,
    left: async () => (await rows('select from automation_triggers')).length,
    waiting: async () =>
      (await rows('select from automation_runs where lane_at is not null')).length,
    done: async () => (await rows("select from automation_runs where status = 'succeeded'")).length,
  };
}

const happensTo = (ctx: Context, automationId: string, count: number): Promise<unknown> =>
  rowsOf(
    ctx,
    `with people as (
         insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
         select $1, id, 'Ana', 'team', 'member', $4, $4 from unnest($2::text[]) id returning id)
       insert into automation_triggers (organization_id, id, automation_id, contact_id, trigger, created_at)
       select $1, 'fct_' || substr(id, 5), $3, id, '{"type": "manual", "ref": null}', $4 from people`,
    [ctx.organizationId, Array.from({ length: count }, () => newId('con')), automationId, ctx.now],
  );

const WAITS = [{ id: 'wait', type: 'wait', duration: 'PT59S', next: 'end' }, END];

/** A person's first message, which all automations of the workspace may answer. */
async function writes(ctx: Context, contactId: string): Promise<void> {
  const { id: numberId } = await aNumber(ctx);
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const message = { messageId: newId('msg'), contactId, conversationId };
  const isFirst = { opened: true, wroteBefore: false, campaignId: null };
  await transact(ctx, (tx) => recordWritten(tx, { ...message, ...isFirst }));
}

describe('the lane of automations, while hundreds of runs of one workspace are due', () => {
  it("goes on with another one's, and first answers who writes to it", async () => {
    const many = await aCrowd(300, WAITS);
    const few = await aCrowd(1, WAITS);
    const before = await start();
    await eventually(async () => (await many.waiting()) + (await few.waiting()) === 301);
    await stop(before);
    await many.rows('update automation_runs set lane_at = now(), wait_until = now()');
    await few.rows('update automation_runs set lane_at = now(), wait_until = now()');
    const { id: answering } = await anActiveAutomation(few.ctx, { name: 'Answer', steps: [END] });
    await writes(few.ctx, (await aContact(few.ctx)).id);

    await start();
    await eventually(async () => (await many.done()) + (await few.done()) === 302);

    const ended = await few.rows<{ by: string; at: Date }>(
      'select automation_id as by, finished_at as at from automation_runs',
    );
    const place = async (automationId: string) => {
      const at = ended.find(({ by }) => by === automationId)?.at;
      return (await many.rows('select from automation_runs where finished_at < $1', at)).length;
    };
    expect(await place(few.automationId)).toBeLessThan(50);
    expect(await place(answering)).toBeLessThan(10);
  });
});

describe('the lane of automations', () => {
  it('lets workspaces take turns: a thousand of one do not go before the few of another', async () => {
    const many = await aCrowd(1_000);
    const few = await aCrowd(3);

    await start();
    await eventually(async () => (await few.done()) === 3);
    await eventually(async () => (await many.done()) === 1_000);
    expect(await many.left()).toBe(0);

    const [last] = await few.rows<{ at: Date }>(
      'select max(finished_at) as at from automation_runs',
    );
    const earlier = await many.rows(
      'select from automation_runs where finished_at <= $1',
      last?.at,
    );
    expect(earlier.length).toBeLessThan(700);
  });

  it('puts off what it cannot act on, and goes on with the rest', async () => {
    const { ctx, automationId, rows, done, left } = await aCrowd(1);
    const { id: broken } = await anActiveAutomation(ctx, {
      name: 'Broken',
      trigger: { type: 'conversation_closed' },
      steps: [END],
    });
    await rows(
      `with version as (
         insert into automation_versions (organization_id, automation_id, version, definition, created_at)
         values ($1, $2, 2, '{"trigger": {"type": "conversation_closed"}, "entry": {"priority": "high"}, "steps": []}', now())
         returning 1)
       update automations set version = 2 where id = $2 and exists (select from version)`,
      ctx.organizationId,
      broken,
    );
    await happensTo(ctx, broken, 1);
    await happensTo(ctx, automationId, 1);

    await start();
    await eventually(async () => (await done()) === 2);
    const putOff = (): Promise<{ tries: number }[]> =>
      rows('select tries from automation_triggers where not_before > now() and tries > 0');
    await eventually(async () => (await putOff()).length === 1);

    expect(await left()).toBe(1);
  });

  it('answers who writes before the thousands of a schedule, and after what happened to that person before', async () => {
    const { ctx, automationId, rows } = await aCrowd(2_000);
    const { id: answering } = await anActiveAutomation(ctx, { name: 'Answer', steps: [END] });
    const { id: contactId } = await aContact(ctx);
    const trigger = { type: 'schedule', ref: null };
    await transact(ctx, (tx) =>
      recordTrigger(tx, { automationId, contactId, conversationId: null, trigger }),
    );
    await writes(ctx, contactId);
    const figures = noFigures();
    await measures.happenings(sqlOver(scene.database.system), figures);
    expect(figures.oldestTriggerSeconds).toBeGreaterThan(0);

    await start();
    const begun = (): Promise<{ automation_id: string; contact_id: string }[]> =>
      rows('select automation_id, contact_id from automation_runs order by id');
    const answered = (runs: { automation_id: string }[]): number =>
      runs.findIndex((run) => run.automation_id === answering);
    await eventually(async () => answered(await begun()) >= 0);

    const runs = await begun();
    expect(answered(runs)).toBeLessThan(300);
    const own = runs.filter((run) => run.contact_id === contactId);
    expect(own.map((run) => run.automation_id)).toEqual([automationId, answering]);
  });
});
