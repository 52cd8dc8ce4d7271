#!/usr/bin/env node
// Installs the locked packages when they are missing or not those of the lock file; says nothing and
// takes a moment when there is nothing to do. Plain JavaScript without imports: it runs on Node 20,
// before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = path.join(root, 'package-lock.json');
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.installed-lock');
const busyFile = path.join(root, '.install.lock');

const stamp = () =>
  createHash('sha256')
    .update(`${process.platform}-${process.arch}\n`)
    .update(fs.readFileSync(lockFile))
    .digest('hex');

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** npm's own record of what is installed, which is also right if somebody ran "npm ci" by hand. */
function installedByHand() {
  const written = read(path.join(modules, '.package-lock.json'));
  if (!written) return false;
  const installed = JSON.parse(written).packages;
  const wanted = Object.entries(JSON.parse(fs.readFileSync(lockFile, 'utf8')).packages);
  return wanted.every(
    ([place, { version, optional, devOptional }]) =>
      place === '' ||
      installed[place]?.version === version ||
      (!installed[place] && (optional || devOptional)),
  );
}

function upToDate() {
  if (read(stampFile) === stamp()) return true;
  if (!installedByHand()) return false;
  fs.writeFileSync(stampFile, stamp());
  return true;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Its holder was killed, perhaps before it wrote its pid. */
function abandoned(holder) {
  if (holder > 0) return !isAlive(holder);
  const since = fs.statSync(busyFile, { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && Date.now() - since > 10_000;
}

/** "npm start" and "npm test" may be started side by side on a fresh clone: one installs, one waits. */
async function takeTurn() {
  for (let told = false; ; await sleep(100)) {
    try {
      fs.writeFileSync(busyFile, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(read(busyFile));
    if (abandoned(holder)) fs.rmSync(busyFile, { force: true });
    if (told) continue;
    console.log(`Waiting for process ${holder}, which installs the packages (${busyFile}) …`);
    told = true;
  }
}

/** Development packages too, whatever NODE_ENV says: both commands promise to work on a fresh clone. */
function npmCi() {
  const args = ['ci', '--include=dev', '--include=optional'];
  const cli = process.env.npm_execpath;
  return cli && path.basename(cli).startsWith('npm-cli.')
    ? spawn(process.execPath, [cli, ...args], { cwd: root, stdio: 'inherit' })
    : spawn('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}

async function install() {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  console.log('Installing the locked packages (the first time, about half a minute) …');
  const tick = setInterval(() => console.log(`  still installing (${seconds()})`), 10_000);
  const problem = await new Promise((resolve) => {
    const child = npmCi();
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code) => resolve(code === 0 ? undefined : `"npm ci" ended with ${code}`));
  });
  clearInterval(tick);
  if (problem) {
    console.error(
      `The packages could not be installed: ${problem}. See its message above; check that the npm ` +
        'registry can be reached and that the disk has 1 GB free, then run the same command again.',
    );
    process.exitCode = 1;
    return;
  }
  fs.mkdirSync(modules, { recursive: true });
  fs.writeFileSync(stampFile, stamp());
  console.log(`Installed in ${seconds()}.`);
}

if (!upToDate()) {
  await takeTurn();
  try {
    if (!upToDate()) await install();
  } finally {
    fs.rmSync(busyFile, { force: true });
  }
}
