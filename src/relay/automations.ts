import { actOn } from '../automations/running/acting.ts';
import type { RunDeps } from '../automations/running/advance.ts';
import { createContext } from '../db/contexts.ts';
import { sqlOver } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { createLoop, type Loop } from './loop.ts';
import type { RelayParts } from './relay.ts';

const LOOK_EVERY_MS = 500;
const AT_ONCE = 16;
const PAGE = 200;

/** Of each person the oldest: what happens to somebody is acted on in its order. */
const WAITING = `
select distinct on (organization_id, contact_id) organization_id as "organizationId", id
from (select organization_id, contact_id, id from automation_triggers order by organization_id, contact_id, id limit $1) t
order by organization_id, contact_id, id`;

interface Waiting {
  readonly organizationId: string;
  readonly id: string;
}

/**
 * What happened, to runs and their first steps, in this process: a run that never waits needs no workflow,
 * and one that waits gets it by the command that its wait records.
 */
export function createAutomationLane(parts: RelayParts): Loop {
  const { database, waker, clock, log } = parts;
  const deps: RunDeps = {
    ...parts,
    contextFor: (organizationId, actor) =>
      createContext({ database, wake: waker.wake }, { organizationId, actor, now: clock.now() }),
  };

  async function work(sql: Sql): Promise<boolean> {
    const waiting = await sql.rows<Waiting>(WAITING, [PAGE], 'waiting-triggers');
    let failed = 0;
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const { id } = one;
        await actOn(deps, one).catch((err: unknown) => {
          failed += 1;
          log.error({ err, trigger: id }, 'an automation could not be started yet');
        });
      }
    };
    const found = waiting.length > 0;
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    if (failed > 0) throw new Error(`${failed} triggers wait`);
    return found;
  }

  return createLoop({
    name: 'the lane of automations',
    everyMs: LOOK_EVERY_MS,
    log,
    work: () => work(sqlOver(database.system)),
  });
}
