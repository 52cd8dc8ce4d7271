/** `npm run bench -- <program>|all`: measures, and prints each figure beside its limit. */
import { parseArgs } from 'node:util';
import { wholeNumber } from '../test/support/sizes.ts';
import { benchRead } from './authenticated-read.ts';
import { benchAuthentication } from './authentication.ts';
import { benchAutomation } from './automation.ts';
import { benchCampaign } from './campaign.ts';
import { benchConsole } from './console-pages.ts';
import { benchContactList } from './contact-list.ts';
import { growthOptions, growthPrograms } from './costs/programs.ts';
import { benchAttempts } from './first-attempts.ts';
import { benchHeld } from './held.ts';
import { benchHostile } from './hostile.ts';
import { benchIsolation } from './isolation.ts';
import { benchLargeCampaign } from './large-campaign.ts';
import { benchLateness } from './lateness.ts';
import { benchOverload } from './overload.ts';
import { benchRecovery } from './recovery.ts';
import { benchReminders } from './reminders.ts';
import { benchReports } from './reports.ts';
import { mixedSoak } from './soak/mixed.ts';
import { soak } from './soak/webhooks.ts';
import { benchTemporalAway } from './temporal-away.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    contacts: { type: 'string', default: '10000' },
    keys: { type: 'string', default: '200' },
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '8' },
    events: { type: 'string', default: '30000' },
    endpoints: { type: 'string', default: '20' },
    pace: { type: 'string', default: '50' },
    'pace-seconds': { type: 'string', default: '40' },
    recipients: { type: 'string', default: '10000' },
    'large-recipients': { type: 'string', default: '100000' },
    'large-pace': { type: 'string', default: '500' },
    messages: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '20' },
    'listed-contacts': { type: 'string', default: '1000000' },
    'list-seconds': { type: 'string', default: '10' },
    'list-pace': { type: 'string', default: '20' },
    dead: { type: 'string', default: '100' },
    'dead-pace': { type: 'string', default: '50' },
    'slow-events': { type: 'string', default: '500' },
    'late-endpoints': { type: 'string', default: '200' },
    'late-seconds': { type: 'string', default: '20' },
    'late-scale': { type: 'string', default: '0.1' },
    'late-pace': { type: 'string', default: '25' },
    crowd: { type: 'string', default: '500' },
    'held-events': { type: 'string', default: '100000' },
    'new-pace': { type: 'string', default: '5' },
    hostile: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '5' },
    'overload-contacts': { type: 'string', default: '50000' },
    'overload-keys': { type: 'string', default: '500' },
    'overload-seconds': { type: 'string', default: '60' },
    'overload-times': { type: 'string', default: '2' },
    'away-seconds': { type: 'string', default: '300' },
    'away-pace': { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'pause-seconds': { type: 'string', default: '10-40' },
    report: { type: 'string' },
    'bad-pace': { type: 'string', default: '10' },
    'backoff-scale': { type: 'string', default: '0.002' },
    kills: { type: 'string', default: '0' },
    'reply-pace': { type: 'string', default: '10' },
    'run-pace': { type: 'string', default: '50' },
    'run-seconds': { type: 'string', default: '30' },
    reminders: { type: 'string', default: '5000' },
    numbers: { type: 'string', default: '10' },
    ceiling: { type: 'string', default: '600' },
    'asleep-seconds': { type: 'string', default: '60' },
    // With those of the rush as many as the largest plan allows.
    asleep: { type: 'string', default: '15000' },
    aftermath: { type: 'boolean', default: false },
    slices: { type: 'string', default: '4' },
    ...growthOptions,
    'page-requests': { type: 'string', default: '40' },
  },
});

/** Of these some are lists, spans, or parts of one. */
const OTHERWISE = /^(report|pause-seconds|growing-.*|.*-scale)$/;
for (const [name, given] of Object.entries(values))
  if (typeof given === 'string' && !OTHERWISE.test(name)) wholeNumber(name, given);

const runs = Number(values.runs);
const programs = {
  read: () =>
    benchRead({
      runs,
      contacts: Number(values.contacts),
      keys: Number(values.keys),
      connections: Number(values.connections),
      seconds: Number(values.seconds),
    }),
  authentication: () =>
    benchAuthentication({
      slices: Number(values.slices),
      connections: Number(values.connections),
    }),
  console: () => benchConsole({ requests: Number(values['page-requests']) }),
  attempts: () =>
    benchAttempts({
      runs,
      events: Number(values.events),
      endpoints: Number(values.endpoints),
      pace: Number(values.pace),
      seconds: Number(values['pace-seconds']),
    }),
  reports: () =>
    benchReports({
      runs,
      messages: Number(values.messages),
      requests: Number(values.requests),
    }),
  campaign: () => benchCampaign({ runs, recipients: Number(values.recipients) }),
  'large-campaign': () =>
    benchLargeCampaign({
      recipients: Number(values['large-recipients']),
      pace: Number(values['large-pace']),
      kills: Number(values.kills),
    }),
  reminders: () =>
    benchReminders({
      reminders: Number(values.reminders),
      numbers: Number(values.numbers),
      ceiling: Number(values.ceiling),
      seconds: Number(values['asleep-seconds']),
      asleep: Number(values.asleep),
      aftermath: values.aftermath,
    }),
  automation: () =>
    benchAutomation({
      runs,
      pace: { replies: Number(values['reply-pace']), runs: Number(values['run-pace']) },
      seconds: Number(values['run-seconds']),
    }),
  contacts: () =>
    benchContactList({
      contacts: Number(values['listed-contacts']),
      seconds: Number(values['list-seconds']),
      pace: Number(values['list-pace']),
    }),
  isolation: () =>
    benchIsolation({
      runs,
      pace: Number(values.pace),
      seconds: Number(values['pace-seconds']),
      dead: Number(values.dead),
      deadPace: Number(values['dead-pace']),
      slowEvents: Number(values['slow-events']),
    }),
  held: () =>
    benchHeld({
      events: Number(values['held-events']),
      pace: Number(values.pace),
      seconds: Number(values['pace-seconds']),
      newPace: Number(values['new-pace']),
    }),
  hostile: () => benchHostile({ receivers: Number(values.hostile) }),
  lateness: () =>
    benchLateness({
      runs,
      endpoints: Number(values['late-endpoints']),
      pace: Number(values['late-pace']),
      seconds: Number(values['late-seconds']),
      crowd: Number(values.crowd),
      backoffScale: Number(values['late-scale']),
      attempts: 5,
    }),
  ...growthPrograms(values, runs),
  soak: () =>
    soak({
      minutes: Number(values.minutes),
      pace: Number(values.pace),
      badPace: Number(values['bad-pace']),
      backoffScale: Number(values['backoff-scale']),
      kills: Number(values.kills),
    }),
  overload: () =>
    benchOverload({
      contacts: Number(values['overload-contacts']),
      keys: Number(values['overload-keys']),
      seconds: Number(values['overload-seconds']),
      times: Number(values['overload-times']),
    }),
  recovery: () => benchRecovery({ runs }),
  'temporal-away': () =>
    benchTemporalAway({
      seconds: Number(values['away-seconds']),
      pace: Number(values['away-pace']),
    }),
  'mixed-soak': () =>
    mixedSoak({
      minutes: Number(values.minutes),
      seed: Number(values.seed),
      pauseSeconds: values['pause-seconds'].split('-').map(Number) as [number, number],
      report: values.report,
    }),
};
const names = Object.keys(programs) as (keyof typeof programs)[];
const asked = positionals.join(' ') || 'all';
/** What says something else than how fast it is today: it runs when somebody asks for it. */
const APART = new Set([
  'soak',
  'mixed-soak',
  'cells',
  'profiles',
  'statements',
  'growth-endpoints',
  'growth-workspaces',
  'growth-messages',
]);
const chosen = names.filter((name) => (asked === 'all' ? !APART.has(name) : asked === name));

if (process.platform !== 'linux') {
  console.error('The benchmarks read CPU times from /proc, so they run on Linux only.');
  process.exitCode = 1;
} else if (chosen.length === 0) {
  console.error(`There is no benchmark ${asked}. There are: ${names.join(', ')}, all.`);
  process.exitCode = 1;
} else {
  const met: boolean[] = [];
  for (const name of chosen) met.push(await programs[name]());
  console.log(met.every(Boolean) ? '\nEvery limit is met.' : '\nA limit is missed.');
  process.exitCode = met.every(Boolean) ? 0 : 2;
}
