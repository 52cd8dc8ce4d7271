import TestRunner from 'jest-runner';

const isKillTest = (file) => file.context.config.displayName?.name === 'faults';

/**
 * What takes 20 seconds and more begins early, so that it is not what everybody waits for at the end. Only
 * the first run in a folder needs to be told: later ones start in the order of the times it took.
 */
const SLOW =
  /cli\/ops|browser\/docs|webhooks\/(time|backlog|listen|trigger|deliveries-at)|walked|refusals|accepted|magic/;

function slowFirst(files) {
  if (files.some((file) => file.duration !== undefined)) return files;
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
