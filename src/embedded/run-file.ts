import fs from 'node:fs';
import path from 'node:path';
import { writeJsonFile } from './json-file.ts';

/** What a running local service tells the `wms` command: how to reach it, and the demo's key. */
export interface RunFile {
  readonly pid: number;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly encryptionKeys: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly temporalUiUrl: string | null;
  readonly simulatorUrl: string | null;
  readonly demo: {
    readonly workspaceId: string;
    readonly numberId: string;
    /** WhatsApp's id of the number; a run file of before has none. */
    readonly phoneNumberId?: string | null;
    readonly apiKey: string;
  } | null;
}

const fileOf = (dataDir: string): string => path.join(dataDir, 'run.json');

/** For the command line on this machine. */
export const writeRunFile = (dataDir: string, run: RunFile): void =>
  writeJsonFile(fileOf(dataDir), run);

/** Null if no service has run here. */
export function readRunFile(dataDir: string): RunFile | null {
  if (!fs.existsSync(fileOf(dataDir))) return null;
  return JSON.parse(fs.readFileSync(fileOf(dataDir), 'utf8')) as RunFile;
}
