import type { Finding } from '../support/findings.ts';
import type { Evidence } from './evidence.ts';

const RUNS = `
select r.id, a.name, r.status, r.contact_id,
  (select count(*)::int from automation_run_steps s
    where s.organization_id = r.organization_id and s.run_id = r.id and s.type in ('send_message', 'ask')) as speaking,
  (select coalesce(array_agg(m.text order by m.id), '{}') from messages m
    where m.organization_id = r.organization_id and m.run_id = r.id) as said,
  (select string_agg(s.step_id || ' ' || s.status, ', ' order by s.seq) from automation_run_steps s
    where s.organization_id = r.organization_id and s.run_id = r.id) as steps
from automation_runs r join automations a on a.organization_id = r.organization_id and a.id = r.automation_id`;

interface Run {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly contact_id: string;
  /** Steps that were to say something. */
  readonly speaking: number;
  readonly said: readonly string[];
  readonly steps: string;
}

/** One run for each beginning, which succeeded and said one thing for each of its steps that speak. */
export async function saidOnce({ stage, load }: Evidence): Promise<Finding> {
  const runs = await stage.rows<Run>(RUNS);
  const byPerson = Map.groupBy(runs, ({ name, contact_id }) => `${name} ${contact_id}`);
  const names = Map.groupBy(runs, ({ name }) => name);
  const cut = runs.filter(({ steps }) => !steps.endsWith('end succeeded'));
  return {
    figures: {
      begun: load.crowd.begun,
      runs: runs.length,
      ...Object.fromEntries([...names].map(([name, own]) => [name, own.length])),
      unanswered: runs.filter(({ name, said }) => name === 'asks' && said.length < 2).length,
    },
    broken: {
      unlike: runs.length === load.crowd.begun ? [] : [runs.length],
      twice: [...byPerson].filter(([, own]) => own.length > 1),
      unfinished: runs.filter(({ status }) => status !== 'succeeded'),
      cut,
      saidWrong: runs.filter(
        ({ said, speaking }) => said.length !== speaking || new Set(said).size !== said.length,
      ),
    },
  };
}
