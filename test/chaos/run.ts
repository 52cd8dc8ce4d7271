import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { endAbandonedRuns, endRun, openRunFolder } from '../support/run-folder.ts';
import { wholeNumber } from '../support/sizes.ts';
import { chaos } from './random/chaos.ts';
import { linesOf } from './random/report.ts';

// Kills by the hundred: docs/testing.md says what is killed, what is promised, and how to read the report.
// Usage: npm run chaos [-- --kills 300] [--seed 7] [--recipients 2000] [--events 5000] [--runs 500] [--reminders 200] [--report file]

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    recipients: { type: 'string', default: '2000' },
    events: { type: 'string', default: '5000' },
    runs: { type: 'string', default: '500' },
    reminders: { type: 'string', default: '200' },
    report: { type: 'string' },
  },
});

const { report: file, ...given } = values;
const size = (name: keyof typeof given): number => wholeNumber(name, given[name]);
const sizes = {
  kills: size('kills'),
  seed: size('seed'),
  recipients: size('recipients'),
  events: size('events'),
  runs: size('runs'),
  reminders: size('reminders'),
};

await endAbandonedRuns();
const { path } = openRunFolder();
process.env['TEST_RUN_FOLDER'] = path;
try {
  console.log(`seed ${sizes.seed}`);
  const report = await chaos(sizes, console.log);
  const json = JSON.stringify(report, null, 2);
  if (file) fs.writeFileSync(file, `${json}\n`);
  else console.log(json);
  for (const line of linesOf(report)) console.log(line);
  process.exitCode = report.holds ? 0 : 1;
} finally {
  await endRun(path);
}
