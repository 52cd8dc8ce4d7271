import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import type { Service } from '../support/processes/processes.ts';
import { onCluster } from './support/cluster.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const DISK_MB = 256;
const RECOVERED_WITHIN_MS = 10_000;
const TRIES = 150;

/** A small disk of its own, which only root may make; null where this process may not. */
function smallDisk(): string | null {
  const folder = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return folder;
  } catch {
    fs.rmdirSync(folder);
    return null;
  }
}

/** Takes every byte that is left. */
function fill(file: string): void {
  const chunk = Buffer.alloc(65_536);
  const handle = fs.openSync(file, 'w');
  try {
    for (let size = chunk.length; size > 0; ) {
      try {
        fs.writeSync(handle, chunk, 0, size);
      } catch {
        size >>= 1;
      }
    }
  } finally {
    fs.closeSync(handle);
  }
}

const disk = smallDisk();

describe('a disk of PostgreSQL that is full', () => {
  (disk ? it : it.skip)(
    'costs changes a 503 and reads nothing; once there is room, changes are made again, and none that was answered is lost',
    async () => {
      const folder = disk ?? '';
      try {
        await onCluster(
          (cluster) => onChaosStage({ database: cluster }, (stage) => play(stage, folder)),
          folder,
        );
      } finally {
        execFileSync('umount', ['-l', folder]);
        fs.rmdirSync(folder);
      }
    },
    300_000,
  );
});

async function play(stage: ChaosStage, folder: string): Promise<void> {
  const api = await stage.processes.start('api');
  const made: string[] = [];
  const change = async (n: number): Promise<number> => {
    // Large enough that the table soon needs more room.
    const notes = String(n).repeat(1_000).slice(0, 900);
    const body = { name: `Lia ${n}`, phone: `+55119828${String(n).padStart(5, '0')}`, notes };
    const { status, text } = await stage.call(api, 'POST', '/contacts', { body });
    if (status === 201) made.push((JSON.parse(text) as { id: string }).id);
    return status;
  };
  for (let n = 0; n < 10; n++) expect(await change(n)).toBe(201);

  const ballast = path.join(folder, 'ballast');
  fill(ballast);
  const changes: number[] = [];
  const reads: number[] = [];
  for (let n = 10; n < 10 + TRIES; n++) {
    changes.push(await change(n));
    if (n % 10 === 0) reads.push(await read(stage, api));
  }
  fs.rmSync(ballast);
  const freedAt = Date.now();
  await until('a change is made again', async () => (await change(90_000 + made.length)) === 201);

  expect(Date.now() - freedAt).toBeLessThan(RECOVERED_WITHIN_MS);
  expect(new Set(changes.filter((status) => status !== 201))).toEqual(new Set([503]));
  expect(new Set(reads)).toEqual(new Set([200]));
  const kept = await stage.rows<{ id: string }>('select id from contacts');
  const ids = new Set(kept.map(({ id }) => id));
  expect(made.filter((id) => !ids.has(id))).toEqual([]);
}

const read = async (stage: ChaosStage, api: Service): Promise<number> =>
  (await stage.call(api, 'GET', '/contacts?limit=1')).status;
