import TestRunner from 'jest-runner';

const isKillTest = (file) => file.context.config.displayName?.name === 'faults';

/**
 * What takes 30 seconds and more begins early, so that it is not what everybody waits for at the end. The
 * others come in the order of the times they took, once they ran in this folder.
 */
const SLOW =
  /webhooks\/(time|lanes\/backlog|listeners\/listen\.)|reminders\/(walked|targets)|triggers\/clock|http\/(accepted|every-route)|browser\/|histories\/replay|cli\/ops/;

function slowFirst(files) {
  const slow = files.filter((file) => SLOW.test(file.path));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
}

/** So many files at a time; `run` starts one and settles when it is done. */
function inLanes(files, count, run) {
  const kills = files.filter(isKillTest);
  const others = slowFirst(files.filter((file) => !isKillTest(file)));
  const lane = async (take) => {
    for (let file = take(); file; file = take()) await run(file);
  };
  return Array.from({ length: count }, (_, index) =>
    lane(() => (index === 0 && kills.shift()) || others.shift()),
  );
}

/**
 * All files of all projects, in as many lanes as there are workers. A kill test starts whole services of
 * its own, several at once, and two such files side by side would starve each other: the first lane takes
 * them one after the other, and helps the others when none is left.
 */
export default class LanesRunner extends TestRunner {
  runTests(files, watcher, options) {
    if (options.serial) return super.runTests(files, watcher, options);
    // jest-runner starts what it maps over, all at once, and waits for what it gets.
    const lanes = {
      [Symbol.iterator]: () => files[Symbol.iterator](),
      map: (run) => inLanes(files, this._globalConfig.maxWorkers, run),
    };
    return super.runTests(lanes, watcher, options);
  }
}
