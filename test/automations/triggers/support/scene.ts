import { actOn } from '../../../../src/automations/running/acting.ts';
import type { RunDeps } from '../../../../src/automations/running/advance.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { createLog } from '../../../../src/log.ts';
import { createSafeSender } from '../../../../src/net/sender.ts';
import { openWritingHouse, type WritingHouse } from '../../../inbound/support/writing.ts';
import { anActiveAutomation } from '../../../support/factories/automations.ts';

export interface Started {
  readonly id: string;
  readonly automation: string;
  readonly contact: string;
  readonly conversation_id: string | null;
  readonly trigger: { readonly type: string; readonly ref: string | null };
  readonly status: string;
  readonly depth: number;
  readonly cause_run_id: string | null;
}

export interface TriggerScene extends WritingHouse {
  readonly deps: RunDeps;
  /** An automation that is on: it ends at once unless steps are given. */
  automation(name: string, trigger: object, more?: object): Promise<string>;
  /** Acts on all that has happened by now, as the lane does, until nothing waits. */
  act(): Promise<void>;
  /** How many happenings wait to be acted on. */
  waiting(): Promise<number>;
  /** Runs in the order in which they began, of one automation when it is named. */
  runs(name?: string): Promise<Started[]>;
  /** Turns every automation off, as if none had been there. */
  silence(): Promise<void>;
  close(): Promise<void>;
}

/** A workspace whose number people write to, with what acts on it run by hand. */
export async function openTriggerScene(): Promise<TriggerScene> {
  const writing = await openWritingHouse();
  const { house, ctx, rows } = writing;
  const { database } = house;
  const sender = createSafeSender({ trustedOrigins: [] });
  const deps: RunDeps = {
    sender,
    log: createLog({ level: process.env['LOG_LEVEL'] ?? 'silent', format: 'json' }),
    clock: { now: () => new Date(), skewMs: 0 },
    contextFor: (organizationId, actor) =>
      createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() }),
  };
  const waiting = () => rows<{ id: string }>('select id from automation_triggers order by id');
  return {
    ...writing,
    deps,
    automation: async (name, trigger, more = {}) => {
      const steps = [{ id: 'end', type: 'end' }];
      return (await anActiveAutomation(ctx, { name, trigger, steps, ...more })).id;
    },
    act: async () => {
      for (let open = await waiting(); open.length > 0; open = await waiting())
        for (const { id } of open) await actOn(deps, { organizationId: ctx.organizationId, id });
    },
    waiting: async () => (await waiting()).length,
    runs: (name) =>
      rows<Started>(
        `select r.id, a.name as automation, c.name as contact, r.conversation_id, r.trigger, r.status, r.depth, r.cause_run_id
         from automation_runs r join automations a on a.id = r.automation_id left join contacts c on c.id = r.contact_id
         where $1::text is null or a.name = $1 order by r.id`,
        [name ?? null],
      ),
    silence: async () => {
      await rows("update automations set status = 'inactive' where status = 'active'");
    },
    close: async () => {
      await sender.close();
      await house.close();
    },
  };
}
