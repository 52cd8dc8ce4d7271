import { linesOf, type Report } from '../../test/chaos/random/report.ts';
import { type SoakRow, tableOf } from './table.ts';
import type { Look, Relation } from './watching.ts';

export interface Outcome {
  readonly report: Report;
  readonly minutes: number;
  readonly spared: readonly string[];
  readonly looks: readonly Look[];
  readonly hostile: readonly SoakRow[];
  readonly relations: readonly Relation[];
  readonly startedAt: Date;
}

const clock = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ');
const numbers = (cells: Readonly<Record<string, number>>): string[] =>
  Object.values(cells).map((mb) => (mb === 0 ? '' : mb.toFixed(0)));

const everyTenth = <T>(items: readonly T[]): T[] =>
  items.filter((_, index) => index % 10 === 0 || index === items.length - 1);

/** The run as a page of Markdown; memory and disk by every tenth minute, and at the end. */
export function pageOf(outcome: Outcome): string {
  const { report, minutes, spared, looks, hostile, relations, startedAt } = outcome;
  const { asked, machine, seconds } = report;
  const memory = Object.keys(looks[0]?.memory ?? {});
  const disk = Object.keys(looks[0]?.disk ?? {});
  const ended = new Date(startedAt.getTime() + seconds.all * 1_000);
  return [
    '# Everything at once, for hours, while parts are killed',
    '',
    'Written by `bench/soak/mixed.ts`. Reads and writes of the API, people who write, campaigns, automations, reminders, and',
    'endpoints that misbehave among good ones, while parts are killed at random; then everything comes to rest and is judged as',
    'after `npm run chaos` ([testing.md](testing.md)).',
    '',
    `- **Command**: \`npm run bench -- mixed-soak --minutes=${minutes} --seed=${asked.seed}\``,
    `- **Date**: ${clock(startedAt)} to ${clock(ended).slice(11)} UTC, ${seconds.kills} s with kills and ${seconds.rest} s of coming to rest`,
    `- **Machine**: ${machine['cores']} cores (${machine['cpu']}), ${machine['memoryGb']} GB, Node ${machine['node']}; load average ${machine['load']} at the end`,
    `- **Load**: ${asked.events} contacts, ${asked.recipients} recipients of campaigns, ${asked.runs} runs of automations, ${asked.reminders} reminders`,
    `- **Hurt**: ${Object.entries(report.deeds)
      .map(([kind, n]) => `${kind} ${n}`)
      .join(
        ', ',
      )}. Never hurt themselves, so that their memory is seen over the whole time: ${spared.join(' and ')}.`,
    '',
    '## What was promised',
    '',
    '```',
    ...linesOf(report),
    '```',
    '',
    '## Endpoints that misbehave',
    '',
    "Waits between attempts are 0.002 of production's. p50 and p99: from the event to the first request, kills included.",
    '',
    ...tableOf(hostile),
    '',
    '## Memory and disk, megabytes',
    '',
    "Memory without what is shared twice. `tables`: PostgreSQL's data folder without its write-ahead log, which is `log`.",
    '',
    `| minute | ${memory.join(' | ')} | disk: ${disk.join(' | disk: ')} |`,
    `|--:${'|--:'.repeat(memory.length + disk.length)}|`,
    ...everyTenth(looks).map(
      (look) => `| ${[look.minute, ...numbers(look.memory), ...numbers(look.disk)].join(' | ')} |`,
    ),
    '',
    'Where the disk went:',
    '',
    '| table | rows | MB with indexes |',
    '|---|--:|--:|',
    ...relations.map(({ name, rows, mb }) => `| ${name} | ${rows} | ${mb} |`),
    '',
  ].join('\n');
}
