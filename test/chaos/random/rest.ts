import { until } from '../../support/processes/child.ts';
import { quiet } from '../support/invariants.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Crew } from './crew.ts';
import type { Load } from './load.ts';

/**
 * Everything that was begun ends: what people wrote arrived, and statuses settled whatever WhatsApp accepted.
 *
 * @param timeoutMs of each of the things that are waited for; rejects with what was left over then.
 */
export async function rest(
  { stage, crew, load }: { stage: ChaosStage; crew: Crew; load: Load },
  timeoutMs: number,
): Promise<void> {
  const options = { timeoutMs, everyMs: 500 };
  const heard = async (): Promise<boolean> =>
    (await load.crowd.written()).length <=
    (await count(stage, `select from messages where direction = 'inbound'`));
  await crew.whole();
  await load.fed();
  for (let round = 0; round < 2; round++) {
    await until('what people wrote has arrived', heard, options);
    await quiet(stage, timeoutMs);
    await load.crowd.stop();
    if (round === 0) await load.reminders.end();
  }
  await until(
    'what WhatsApp accepted is settled',
    async () => {
      const keys = (await stage.processes.simulator.accepted()).map(({ key }) => key);
      return (await count(stage, OPEN_OF, [keys])) === 0;
    },
    options,
  );
  await quiet(stage, timeoutMs);
}

const OPEN_OF = `
select from messages m where m.id = any($1) and m.status in ('queued', 'sending', 'unconfirmed')
union all select from campaign_recipients r where r.message_id = any($1) and r.status in ('pending', 'sending', 'unconfirmed')`;

const count = async (stage: ChaosStage, text: string, params: unknown[] = []): Promise<number> =>
  (await stage.rows(text, params)).length;
