import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';

const FOLDER = fileURLToPath(new URL('../histories/', import.meta.url));

/**
 * With `RECORD_HISTORIES=1` keeps a run's history, for the releases to come to be replayed against. One
 * that is there already stays as it is: a workflow that was released is changed by `patched()`.
 */
export async function keepHistory(
  handle: Pick<WorkflowHandle, 'fetchHistory'>,
  name: string,
): Promise<void> {
  const file = path.join(FOLDER, `${name}.json`);
  const packed = `${file}.gz`;
  if (!process.env['RECORD_HISTORIES'] || fs.existsSync(file) || fs.existsSync(packed)) return;
  const { events = [] } = await handle.fetchHistory();
  const lines = events?.map((event) => JSON.stringify(event)).join(',\n');
  const text = `{"events":[\n${lines}\n]}\n`;
  if (text.length < LONGEST_FILE) fs.writeFileSync(file, text);
  else fs.writeFileSync(packed, gzipSync(text));
}

/** Nobody reads a longer one, and it would be most of what the repository holds: it is packed. */
const LONGEST_FILE = 500_000;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** Every history there is, by its file's name. */
export const keptHistories = (): { name: string; history: History }[] =>
  fs
    .readdirSync(FOLDER)
    .filter((name) => /\.json(\.gz)?$/.test(name))
    .map((name) => {
      const bytes = fs.readFileSync(path.join(FOLDER, name));
      const json = JSON.parse((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
      return { name, history: proto.temporal.api.history.v1.History.fromObject(json) };
    });

const WORKFLOWS = fileURLToPath(new URL('../../workflows/', import.meta.url));
const read = (name: string): string => fs.readFileSync(path.join(WORKFLOWS, name), 'utf8');

/** The workflows by their names, as the code that is bundled has them. */
export const releasedWorkflows = (): string[] =>
  [...read('index.ts').matchAll(/'\.\/(.+\.ts)'/g)].flatMap(([, file = '']) =>
    [...read(file).matchAll(/^export (?:async function|const) (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  );

/** Those that go on in a new run when one becomes too long: each that has a loop. */
export const loopingWorkflows = (): string[] => [
  ...new Set(
    fs
      .readdirSync(WORKFLOWS)
      .flatMap((file) => [
        ...read(file).matchAll(/goOnAnew<typeof (\w+)>|const (\w+) = sweeping\(/g),
      ])
      .map(([, called, swept]) => called ?? swept ?? ''),
  ),
];
