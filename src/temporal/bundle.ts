import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The bundle's sources. */
export const WORKFLOWS = {
  workflowsPath: path.join(ROOT, 'workflows/index.ts'),
  workflowInterceptorModules: [path.join(ROOT, 'workflows/tracing.ts')],
};
const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Bundles the workflows into one file, again only if a source or a package changed. */
export async function workflowBundle(cacheDir: string): Promise<{ codePath: string }> {
  const codePath = path.join(cacheDir, `workflows-${sourceHash().slice(0, 16)}.cjs`);
  if (!existsSync(codePath)) {
    const { code } = await bundleWorkflowCode({ ...WORKFLOWS, logger: quiet });
    mkdirSync(cacheDir, { recursive: true });
    const partial = `${codePath}.${process.pid}`;
    writeFileSync(partial, code);
    renameSync(partial, codePath);
  }
  return { codePath };
}

function sourceHash(): string {
  const hash = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json')));
  const sources = [
    ...readdirSync(path.join(ROOT, 'workflows')).map((name) => path.join('workflows', name)),
    ...readdirSync(path.join(ROOT, 'src')).map((name) => path.join('src', name, 'rules.ts')),
  ];
  for (const name of sources.toSorted()) {
    const file = path.join(ROOT, name);
    if (existsSync(file)) hash.update(name).update(readFileSync(file));
  }
  return hash.digest('hex');
}
