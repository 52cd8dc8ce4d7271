#!/usr/bin/env node
// Hands over to a Node that runs TypeScript as it is (24 or later). Plain JavaScript: it must
// itself run on Node 20, and must not rely on node_modules/.bin/node, which npm 10 does not link.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MIN_NODE = 24;
const PROJECT = fileURLToPath(new URL('..', import.meta.url));

export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) return process.execPath;
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    return path.join(path.dirname(manifest), 'bin', 'node');
  } catch {
    const found = `This needs Node ${MIN_NODE} or later (found ${process.version})`;
    console.error(
      existsSync(path.join(PROJECT, 'node_modules'))
        ? `${found}, and no Node is packaged for ${process.platform}-${process.arch}. Install Node ${MIN_NODE} and try again.`
        : `${found}, which comes with the other packages: run npm start, or npm ci, here first.`,
    );
    process.exit(1);
  }
}

/** Runs `node ...args`, passes signals on, and ends as the child ended. */
export function run(args) {
  const child = spawn(findNode(), ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    // What Node compiles is kept: every start but the first needs half the processor time.
    env: { NODE_COMPILE_CACHE: path.join(PROJECT, 'node_modules/.cache/compiled'), ...process.env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group: the child has it already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

if (process.argv[1] && import.meta.url.endsWith(path.basename(process.argv[1]))) {
  run(process.argv.slice(2));
}
