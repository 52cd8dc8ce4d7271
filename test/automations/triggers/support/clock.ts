import { clockStarts } from '../../../../src/automations/clock/sweeping.ts';
import { activateAutomation } from '../../../../src/automations/transitions.ts';
import type { Context } from '../../../../src/context.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { inWorkspace } from '../../../../src/db/database.ts';
import { sweep } from '../../../../src/db/sweeping.ts';
import { createLog } from '../../../../src/log.ts';
import { type OwnDatabase, openOwnDatabase } from '../../../support/database.ts';
import { anAutomation } from '../../../support/factories/automations.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';

export interface ClockScene {
  readonly database: OwnDatabase;
  /** The service at a moment, which is `2026-11-20T10:00:00-03:00` and what follows it. */
  at(moment: string): Context;
  /** Turned on at a moment; it ends at once, or behind its first step. */
  automation(trigger: object, moment?: string, first?: object): Promise<string>;
  /** What the Schedule of each minute does at a moment. */
  tend(moment: string): Promise<void>;
  /** The same; it answers whom it starts something for, and takes that away. */
  look(moment: string): Promise<string[]>;
  rows<R>(text: string, params?: readonly unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

const log = createLog({ level: 'silent', format: 'json' });

/** A workspace of São Paulo whose clock is set by hand. */
export async function openClockScene(): Promise<ClockScene> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database, { now: new Date('2026-11-20T13:00:00Z') });
  const { organizationId, actor } = ctx;
  const at = (moment: string): Context =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date(moment) });
  const rows = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> =>
    inWorkspace(database, organizationId, (sql) => sql.rows<R>(text, params));
  let count = 0;
  const tend = async (moment: string): Promise<void> => {
    const starts = clockStarts(
      database,
      (id, system) =>
        createContext(
          { database, wake: () => {} },
          { organizationId: id, actor: system, now: new Date(moment) },
        ),
      log,
    );
    const failed = (_: string, error: unknown): never => {
      throw error;
    };
    const control = { mayGoOn: () => true, failed, now: () => 0 };
    await sweep(starts, { after: '', done: 0 }, control);
  };
  return {
    database,
    at,
    rows,
    automation: async (trigger, moment = '2026-11-20T13:00:00Z', first) => {
      const name = `Automação ${++count}`;
      const steps = [...(first ? [first] : []), { id: 'end', type: 'end' }];
      const { id } = await anAutomation(at(moment), { name, trigger, steps });
      await activateAutomation(at(moment), id);
      return id;
    },
    tend,
    look: async (moment) => {
      await tend(moment);
      const found = await rows<{ name: string }>(
        `with taken as (delete from automation_triggers returning contact_id)
         select c.name from taken join contacts c on c.id = taken.contact_id order by c.name`,
      );
      return found.map(({ name }) => name);
    },
    close: async () => {
      await database.close();
    },
  };
}
