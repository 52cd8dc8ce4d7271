import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { freePort } from '../../src/embedded/ports.ts';
import { endProcess, isAlive } from '../../src/embedded/processes.ts';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';
import { noteStarted } from '../support/run-folder.ts';

const source = fileURLToPath(new URL('../../src/embedded/temporal/dev-server.ts', import.meta.url));
let dataDir: string;
let log: string[];
let running: EmbeddedTemporal | undefined;

beforeEach(() => {
  log = [];
  dataDir = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'temporal-'));
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedTemporal> {
  const options = { dataDir, firstPort: 0, firstUiPort: 0 };
  running = await startTemporal({ ...options, log: (line) => log.push(line) });
  return running;
}

async function connected<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** A server whose starting process is killed at once; resolves to its pid and address. */
async function orphan(): Promise<{ pid: number; address: string }> {
  const code = `import { startTemporal } from ${JSON.stringify(source)};
    const dataDir = ${JSON.stringify(dataDir)};
    const s = await startTemporal({ dataDir, log: () => {}, firstPort: 0, firstUiPort: 0 });
    console.log(JSON.stringify(s)); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', reject);
  });
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const left = JSON.parse(said) as { pid: number; address: string };
  noteStarted({ pid: left.pid, mark: dataDir, signal: 'SIGKILL' });
  return left;
}

const startWorkflow = (address: string, workflowId: string): Promise<unknown> =>
  connected(address, (client) =>
    client.workflow.start('nobodyRunsThis', { workflowId, taskQueue: 'none', args: [] }),
  );

describe('the embedded Temporal server', () => {
  it('is one of its own for each of two that start at once', async () => {
    const firstPort = await freePort();
    const startAt = (name: string): Promise<EmbeddedTemporal> =>
      startTemporal({
        dataDir: path.join(dataDir, name),
        firstPort,
        firstUiPort: 0,
        log: () => {},
      });

    const both = await Promise.all(['one', 'other'].map(startAt));

    try {
      expect(new Set(both.map(({ address }) => address)).size).toBe(2);
      expect(both.map(({ pid }) => isAlive(pid))).toEqual([true, true]);
    } finally {
      await Promise.all(both.map(({ stop }) => stop()));
    }
  });

  it('has its web page, keeps history for three days, and knows our search attributes', async () => {
    const { address, uiUrl } = await start();

    const { kept, attributes } = await connected(address, async ({ connection }) => {
      const namespace = { namespace: 'default' };
      const { config } = await connection.workflowService.describeNamespace(namespace);
      const { customAttributes } = await connection.operatorService.listSearchAttributes(namespace);
      return {
        kept: Number(config?.workflowExecutionRetentionTtl?.seconds),
        attributes: Object.keys(customAttributes),
      };
    });

    expect(kept).toBe(72 * 3600);
    expect(attributes).toEqual(
      expect.arrayContaining(['WmsWorkspaceId', 'WmsResourceId', 'WmsStage', 'WmsNextAt']),
    );
    expect((await fetch(uiUrl)).status).toBe(200);
  });

  it('ends the one that a killed process left behind, and keeps its workflows', async () => {
    const left = await orphan();
    await startWorkflow(left.address, 'left-behind');

    const { address } = await start();

    expect(isAlive(left.pid)).toBe(false);
    expect(log.join('\n')).toContain(`left behind (${left.pid})`);
    const { status } = await connected(address, (client) =>
      client.workflow.getHandle('left-behind').describe(),
    );
    expect(status.name).toBe('RUNNING');
  });

  it('loses no workflow when it is killed itself', async () => {
    const killed = await start();
    await startWorkflow(killed.address, 'acknowledged');
    await endProcess(killed.pid, 'SIGKILL');

    const { address } = await start();

    const { status } = await connected(address, (client) =>
      client.workflow.getHandle('acknowledged').describe(),
    );
    expect(status.name).toBe('RUNNING');
  });

  it('leaves a server alone whose own process still runs', async () => {
    const first = await start();

    await expect(startTemporal({ dataDir, log: () => {} })).rejects.toThrow(/runs already/);

    expect(isAlive(first.pid)).toBe(true);
  });
});
