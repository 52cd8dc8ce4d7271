import { openWritingScene, type WritingScene } from '../../../inbound/support/writing.ts';
import { anActiveAutomation } from '../../../support/factories/automations.ts';
import { type Acting, openActing } from './acting.ts';

interface Started {
  readonly id: string;
  readonly automation: string;
  readonly contact: string;
  readonly conversation_id: string | null;
  readonly trigger: { readonly type: string; readonly ref: string | null };
  readonly status: string;
  readonly depth: number;
  readonly cause_run_id: string | null;
}

export interface TriggerScene extends WritingScene, Acting {
  /** An automation that is on: it ends at once unless steps are given. */
  automation(name: string, trigger: object, more?: object): Promise<string>;
  /** Runs in the order in which they began, of one automation when it is named. */
  runs(name?: string): Promise<Started[]>;
  /** Turns every automation off, as if none had been there. */
  silence(): Promise<void>;
}

/** A workspace whose number people write to, with what acts on it run by hand. */
export async function openTriggerScene(): Promise<TriggerScene> {
  const writing = await openWritingScene();
  const { stage, ctx, rows } = writing;
  const { database } = stage;
  const acting = openActing(database, ctx.organizationId);
  return {
    ...writing,
    deps: acting.deps,
    act: acting.act,
    waiting: acting.waiting,
    automation: async (name, trigger, more = {}) => {
      const steps = [{ id: 'end', type: 'end' }];
      return (await anActiveAutomation(ctx, { name, trigger, steps, ...more })).id;
    },
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
      await acting.close();
      await stage.close();
    },
  };
}
