import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
  if (!process.env['RECORD_HISTORIES'] || fs.existsSync(file)) return;
  const { events } = await handle.fetchHistory();
  const lines = (events ?? []).map((event) => JSON.stringify(event)).join(',\n');
  fs.writeFileSync(file, `{"events":[\n${lines}\n]}\n`);
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** Every history there is, by its file's name. */
export const keptHistories = (): { name: string; history: History }[] =>
  fs
    .readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const json = JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'));
      return { name, history: proto.temporal.api.history.v1.History.fromObject(json) };
    });
