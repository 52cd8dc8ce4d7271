// The last line of a run, for people and for scripts: "N passed, N failed".
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    // A file that does not even load fails once, though it counts no test.
    const broken = results.testResults.filter(
      (file) => file.testExecError && !file.numFailingTests,
    );
    const failed = results.numFailedTests + broken.length;
    process.once('exit', () => {
      process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed\n`);
    });
  }
}
