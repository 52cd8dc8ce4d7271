import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The bundle's sources. */
export const WORKFLOWS = {
  workflowsPath: path.join(ROOT, 'workflows/index.ts'),
  workflowInterceptorModules: [path.join(ROOT, 'workflows/tracing.ts')],
};

/**
 * Bundles the workflows into one file, again only if a source or a package changed: in a thread of its own, so that the
 * process answers meanwhile and can end at any moment. Rejects with the reason of `stopping` once that is aborted.
 *
 * @param cacheDir where the file is kept, and made if it is missing
 * @param compiled where an image has brought it along (scripts/compile.mjs): bundling needs a compiler that runs code from
 *   `/tmp`, which Docker forbids in a `tmpfs`
 */
export async function workflowBundle(
  cacheDir: string,
  stopping?: AbortSignal,
  compiled: string | undefined = getCompileCacheDir(),
): Promise<{ codePath: string }> {
  stopping?.throwIfAborted();
  const brought = path.join(compiled ?? cacheDir, bundleName());
  if (existsSync(brought)) return { codePath: brought };
  const codePath = path.join(cacheDir, bundleName());
  if (existsSync(codePath)) return { codePath };
  mkdirSync(cacheDir, { recursive: true });
  const partial = `${codePath}.${process.pid}`;
  const thread = new Worker(new URL('./bundling.ts', import.meta.url), { workerData: partial });
  const stop = (): void => void thread.terminate();
  stopping?.addEventListener('abort', stop);
  try {
    await once(thread, 'exit');
  } finally {
    stopping?.removeEventListener('abort', stop);
  }
  stopping?.throwIfAborted();
  renameSync(partial, codePath);
  return { codePath };
}

/** What of ours the bundle may be made of: the workflows, and the rules and durations that they use. */
export const bundleSources = (): string[] =>
  [
    ...readdirSync(path.join(ROOT, 'workflows')).map((name) => `workflows/${name}`),
    ...readdirSync(path.join(ROOT, 'src')).map((name) => `src/${name}/rules.ts`),
    'src/durations.ts',
  ]
    .filter((name) => existsSync(path.join(ROOT, name)))
    .toSorted();

/** The bundle's file, named by what it is made of: our sources and the locked packages. */
export function bundleName(): string {
  const hash = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json')));
  for (const name of bundleSources()) hash.update(name).update(readFileSync(path.join(ROOT, name)));
  return `workflows-${hash.digest('hex').slice(0, 16)}.cjs`;
}
