/**
 * Loaded before the program into each child of a test or benchmark, and into each of its threads: when its standard input
 * closes, its parent is gone, however it ended, and the child is asked to end too. What it waits for does not keep it
 * running.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
  process.stdin.unref();
}
