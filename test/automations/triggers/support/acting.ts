import type { RunDeps } from '../../../../src/automations/running/deps.ts';
import { actOn } from '../../../../src/automations/running/listening/acting.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../../../src/db/database.ts';
import { createLog } from '../../../../src/log.ts';
import { createSafeSender } from '../../../../src/net/sender.ts';

export interface Acting {
  readonly deps: RunDeps;
  /** Acts on all that has happened by now, as the lane does, until nothing waits. */
  act(): Promise<void>;
  /** How many happenings wait to be acted on. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

/** The lane of automations run by hand, for one workspace, by the machine's clock unless another is given. */
export function openActing(
  database: Database,
  organizationId: string,
  now = (): Date => new Date(),
): Acting {
  const sender = createSafeSender({ trustedOrigins: [] });
  const deps: RunDeps = {
    sender,
    log: createLog({ level: process.env['LOG_LEVEL'] ?? 'silent', format: 'json' }),
    clock: { now, skewMs: 0 },
    contextFor: (id, actor) =>
      createContext({ database, wake: () => {} }, { organizationId: id, actor, now: now() }),
  };
  const waiting = (until = "'infinity'"): Promise<{ id: string }[]> =>
    inWorkspace(database, organizationId, (sql) =>
      sql.rows<{ id: string }>(
        `select id from automation_triggers where not_before <= ${until} order by id`,
      ),
    );
  return {
    deps,
    act: async () => {
      for (let open = await waiting('now()'); open.length > 0; open = await waiting('now()'))
        for (const { id } of open) await actOn(deps, { organizationId, id });
    },
    waiting: async () => (await waiting()).length,
    close: () => sender.close(),
  };
}
