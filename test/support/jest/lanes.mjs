import TestRunner from 'jest-runner';

const isKillTest = (file) => file.context.config.displayName?.name === 'faults';

/**
 * Files that take 30 seconds or more begin early, so that the run does not end with waiting for one of them. The others
 * keep jest's order: the slowest of the last run in this folder first.
 */
const SLOW =
  /webhooks\/(time|lanes\/backlog|listeners\/listen\.)|reminders\/(walked|targets)|triggers\/clock|http\/(accepted|every-route)|browser\/|histories\/replay|cli\/ops/;

function slowFirst(files) {
  const slow = files.filter((file) => SLOW.test(file.path));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
}

/** Runs `count` files at a time, one fewer beside kill tests; `run` starts one and settles when it is done. */
function inLanes(files, count, run) {
  const kills = files.filter(isKillTest);
  const others = slowFirst(files.filter((file) => !isKillTest(file)));
  const drain = async (queue) => {
    while (queue.length > 0) await run(queue.shift());
  };
  const killed = drain(kills);
  return Array.from({ length: count }, async (_, lane) => {
    if (lane < 2) await killed;
    await drain(others);
  });
}

/**
 * Runs all files of all projects in as many lanes as there are workers. A kill test starts several whole services, and
 * two such files at once would starve each other, and much beside them too. So they run one after the other in place of
 * two lanes, which then help with the rest.
 */
export default class LanesRunner extends TestRunner {
  runTests(files, watcher, options) {
    if (options.serial) return super.runTests(files, watcher, options);
    // jest-runner calls `map` to start every file at once, and awaits the promises that it returns.
    const lanes = {
      [Symbol.iterator]: () => files[Symbol.iterator](),
      map: (run) => inLanes(files, this._globalConfig.maxWorkers, run),
    };
    return super.runTests(lanes, watcher, options);
  }
}
