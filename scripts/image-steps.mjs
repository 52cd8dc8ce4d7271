#!/usr/bin/env node
// Checks the container image where there is no Docker: runs the Dockerfile's own steps in a folder, then
// starts what the image would start (migrate, api, worker) against a real PostgreSQL and Temporal, as an
// unprivileged user, until /readyz and the image's health check agree and SIGTERM ends it cleanly.
// Usage: node scripts/run.mjs scripts/image-steps.mjs
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/embedded/ports.ts';
import { ensureOwnedDatabase } from '../src/embedded/postgres/owner.ts';
import { startPostgres } from '../src/embedded/postgres/postgres.ts';
import { startTemporal } from '../src/embedded/temporal/dev-server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line) => console.log(line);

/** The Dockerfile's instructions, as [name, rest], with continued lines joined. */
function instructions(file) {
  const lines = fs.readFileSync(file, 'utf8').replace(/\\\n/g, ' ').split('\n');
  const words = lines.map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
  return words.map((line) => {
    const [name] = line.split(' ');
    return [name, line.slice(name.length).trim()];
  });
}

/** A stage is a folder that stands for the image's "/". */
function newStage(folder, rest, stages) {
  const [base, , name] = rest.split(/\s+/);
  const place = path.join(folder, name ?? 'image');
  const under = stages.get(base);
  if (under) fs.cpSync(under.place, place, { recursive: true, verbatimSymlinks: true });
  else fs.mkdirSync(place, { recursive: true });
  const stage = under ? basedOn(under, place) : aMachine(place);
  if (name) stages.set(name, stage);
  const ours = `this machine's own system and Node ${process.version} stand for it`;
  say(`FROM ${base}${under ? '' : `: ${ours}`}`);
  return stage;
}

const aMachine = (place) => ({
  place,
  workdir: '/',
  env: { PATH: process.env.PATH, HOME: os.homedir() },
});

function basedOn({ place: before, ...under }, place) {
  const moved = Object.entries(under.env).map(([name, value]) => [
    name,
    value.replaceAll(before, place),
  ]);
  return { ...under, place, env: Object.fromEntries(moved) };
}

function setEnv(stage, rest) {
  for (const pair of rest.split(/\s+/)) {
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const old = stage.env[name] ?? '';
    stage.env[name] = value
      .replace(`$${name}`, old)
      .replace('/app/', `${path.join(stage.place, 'app')}/`);
  }
}

function copy(stage, rest, stages) {
  const words = rest.split(/\s+/);
  const from = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : undefined;
  const target = path.join(stage.place, path.posix.resolve(stage.workdir, words.pop()));
  for (const source of words) {
    const place = from ? path.join(stages.get(from).place, source) : path.join(root, source);
    const into = words.length > 1 || rest.endsWith('/') ? path.join(target, source) : target;
    fs.cpSync(place, into, { recursive: true, verbatimSymlinks: true });
  }
}

function runStep(stage, command) {
  const cwd = path.join(stage.place, stage.workdir);
  const { env, user } = stage;
  const { status } = spawnSync('sh', ['-c', command], { ...user, cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`RUN ${command} ended with ${status}`);
}

const steps = {
  WORKDIR: (stage, rest) => {
    stage.workdir = rest;
    fs.mkdirSync(path.join(stage.place, rest), { recursive: true });
  },
  ENV: setEnv,
  COPY: copy,
  RUN: runStep,
  // Only root can switch users, and Node's compile cache is per user.
  USER: (stage, rest) => {
    const [uid, gid] = rest.split(':').map(Number);
    if (process.getuid?.() === 0) stage.user = { uid, gid };
  },
  CMD: (stage, rest) => {
    stage.command = JSON.parse(rest);
  },
  HEALTHCHECK: (stage, rest) => {
    stage.health = JSON.parse(rest.slice(rest.indexOf('[')));
  },
};

/** Runs every step; returns the last stage with the commands that the image declares. */
function buildImage(folder) {
  const stages = new Map();
  let stage;
  for (const [name, rest] of instructions(path.join(root, 'Dockerfile'))) {
    if (name === 'FROM') {
      stage = newStage(folder, rest, stages);
      continue;
    }
    say(`${name} ${rest}`);
    steps[name]?.(stage, rest, stages);
  }
  return stage;
}

function start(stage, [command, ...args], env) {
  const cwd = path.join(stage.place, stage.workdir);
  // The image's `node` is this one.
  const program = command === 'node' ? process.execPath : command;
  return spawn(program, args, {
    ...stage.user,
    cwd,
    env: { ...stage.env, ...env },
    stdio: 'inherit',
  });
}

const ended = (child) =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));

async function expectEnd(what, child) {
  const result = await ended(child);
  if (result !== 0) throw new Error(`${what} ended with ${result}`);
  say(`ok: ${what} ended with 0`);
}

/** Starts a role as the image does, waits until it is ready and healthy, and stops it as Docker does. */
async function checkRole(stage, role, env) {
  const port = String(await freePort());
  const child = start(stage, stage.command, { ...env, ROLES: role, PORT: port });
  const broken = ended(child).then((code) => {
    throw new Error(`${role} ended with ${code} before it was ready`);
  });
  const ready = async () => {
    for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(250)) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
    }
    throw new Error(`${role} was not ready after 60 s`);
  };
  try {
    await Promise.race([ready(), broken]);
    say(`ok: ${role} is ready`);
    broken.catch(() => {});
    await expectEnd(`health check of ${role}`, start(stage, stage.health, { ...env, PORT: port }));
    const end = expectEnd(`${role} after SIGTERM`, child);
    child.kill('SIGTERM');
    await end;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Who breaks into the service must not be able to change what it runs. */
function checkNothingIsWritable({ place, user }) {
  if (!user) return say('skipped: who may write in /app is known only when root runs the steps');
  const found = spawnSync('find', [path.join(place, 'app'), '!', '-type', 'l', '-writable'], {
    ...user,
    encoding: 'utf8',
  });
  if (found.status !== 0) throw new Error(`find ended with ${found.status}: ${found.stderr}`);
  if (found.stdout !== '') throw new Error(`its user can write to ${found.stdout.split('\n')[0]}`);
  say('ok: its user can write nowhere in /app');
}

async function checkRoles(stage, folder) {
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'pg'),
    durable: false,
    log: say,
  });
  const places = { dataDir: path.join(folder, 'temporal'), firstPort: 0, firstUiPort: 0 };
  const temporal = await startTemporal({ ...places, log: say });
  const secret = () => randomBytes(24).toString('hex');
  const env = {
    HOME: folder,
    DATA_DIR: path.join(folder, 'data'),
    DATABASE_URL: await ensureOwnedDatabase(postgres, 'wms'),
    TEMPORAL_ADDRESS: temporal.address,
    BASE_URL: 'https://messaging.example.com',
    WHATSAPP_API_URL: 'https://graph.facebook.com',
    WHATSAPP_APP_SECRET: secret(),
    WHATSAPP_VERIFY_TOKEN: secret(),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
  try {
    await expectEnd('wms migrate', start(stage, ['wms', 'migrate'], env));
    await checkRole(stage, 'worker', env);
    if (fs.readdirSync(env.DATA_DIR).some((name) => name.startsWith('workflows-')))
      throw new Error('the worker bundled the workflows itself, though the image brings them');
    await checkRole(stage, 'api', env);
  } finally {
    await temporal.stop();
    await postgres.stop('immediate');
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-image-'));
fs.chmodSync(folder, 0o755);
try {
  const stage = buildImage(folder);
  fs.mkdirSync(path.join(folder, 'data'), { mode: 0o777 });
  fs.chmodSync(path.join(folder, 'data'), 0o777);
  checkNothingIsWritable(stage);
  await checkRoles(stage, folder);
  say('The steps of the image work, and what it starts is ready and stops cleanly.');
} catch (error) {
  console.error(`The image does not work: ${error.message}`);
  process.exitCode = 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
