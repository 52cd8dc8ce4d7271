/**
 * Loaded before the program into each child of a test or benchmark: when its standard input closes, its parent is
 * gone, however it ended, and the child is asked to end too. What it waits for does not keep it running.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
process.stdin.unref();
