import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { StartError } from '../start-error.ts';

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/** The download service's answer: where the archive is, and which file in it is the program. */
const downloadInfo = z.object({
  archiveUrl: z.url({ protocol: /^https?$/ }),
  fileToExtract: z.string().regex(/^(?!\/)(?!.*\.\.)[\w./-]+$/),
});

export interface DownloadOptions {
  readonly artifact: 'cli' | 'temporal-test-server';
  /** The folder to fill; it appears only once the program in it is known to run. */
  readonly destination: string;
  /** The program's name in that folder. */
  readonly executable: string;
  readonly runs: (file: string) => Promise<boolean> | boolean;
  readonly progress: (line: string) => void;
  readonly baseUrl?: string;
  /** How long without any data, or without a connection, until the attempt ends. */
  readonly stallMs?: number;
  readonly totalMs?: number;
  readonly stopping?: AbortSignal | undefined;
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Data arrived: restarts the stall timer. */
  alive(): void;
  end(): void;
}

function deadline({ stallMs = 15_000, totalMs = 120_000, stopping }: DownloadOptions): Deadline {
  const controller = new AbortController();
  const give = (why: string): void => controller.abort(new StartError(why));
  const total = setTimeout(() => give(`not finished after ${totalMs / 1000} s`), totalMs);
  const stall = setTimeout(() => give(`nothing arrived for ${stallMs / 1000} s`), stallMs);
  const end = (): void => {
    clearTimeout(total);
    clearTimeout(stall);
  };
  const signal = AbortSignal.any([controller.signal, ...(stopping ? [stopping] : [])]);
  return { signal, alive: () => stall.refresh(), end };
}

async function get(url: string, { signal, alive }: Deadline): Promise<Response> {
  const response = await fetch(url, { signal });
  alive();
  if (!response.ok) throw new StartError(`${new URL(url).host} answered ${response.status}`);
  return response;
}

async function askWhere(
  o: DownloadOptions,
  clock: Deadline,
): Promise<z.infer<typeof downloadInfo>> {
  const platform = PLATFORMS[process.platform];
  const arch = ARCHITECTURES[process.arch];
  if (!platform || !arch) {
    throw new StartError(`nothing is published for ${process.platform}-${process.arch}`);
  }
  const url = new URL(`${o.baseUrl ?? 'https://temporal.download'}/${o.artifact}/default`);
  url.search = new URLSearchParams({ arch, platform, format: 'tar.gz' }).toString();
  const response = await get(url.href, clock);
  const answer = downloadInfo.safeParse(await response.json().catch(() => undefined));
  if (!answer.success) throw new StartError(`${url.host} answered something else than a download`);
  return answer.data;
}

async function save(url: string, file: string, o: DownloadOptions, clock: Deadline): Promise<void> {
  const response = await get(url, clock);
  const size = Number(response.headers.get('content-length'));
  const out = fs.openSync(file, 'wx');
  let received = 0;
  let told = Date.now();
  try {
    for await (const chunk of response.body ?? []) {
      clock.alive();
      fs.writeSync(out, chunk);
      received += chunk.length;
      if (Date.now() - told < 2_000) continue;
      told = Date.now();
      const share = size > 0 ? ` (${Math.floor((100 * received) / size)} %)` : '';
      o.progress(`${(received / 1e6).toFixed()} MB${share}`);
    }
  } finally {
    fs.closeSync(out);
  }
}

/** Extracts only the one file from the archive. */
function extract(archive: string, member: string, folder: string): string {
  try {
    execFileSync('tar', ['-xzf', archive, '-C', folder, '--', member], { stdio: 'pipe' });
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error).trim();
    throw new StartError(`the archive is damaged: ${said.split('\n')[0]}`);
  }
  const file = path.join(folder, member);
  if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new StartError(`the archive holds no file ${member}`);
  }
  return file;
}

async function fill(folder: string, o: DownloadOptions, clock: Deadline): Promise<void> {
  const { archiveUrl, fileToExtract } = await askWhere(o, clock);
  const archive = path.join(folder, 'archive');
  await save(archiveUrl, archive, o, clock);
  const unpacked = path.join(folder, 'unpacked');
  fs.mkdirSync(unpacked);
  const program = extract(archive, fileToExtract, unpacked);
  const target = path.join(folder, o.executable);
  fs.renameSync(program, target);
  fs.rmSync(archive);
  fs.rmSync(unpacked, { recursive: true });
  fs.chmodSync(target, 0o755);
  if (!(await o.runs(target))) throw new StartError('the downloaded program does not run here');
}

function reason(error: unknown, signal: AbortSignal): Error {
  const cause = signal.aborted ? signal.reason : error;
  if (cause instanceof StartError) return cause;
  // "fetch failed" is uninformative, its cause is not. Not by instanceof, because it may come from another realm.
  const { message, cause: inner } = cause as Error;
  return new StartError((inner as Error | undefined)?.message ?? message);
}

/**
 * Downloads one of Temporal's programs as its SDK does (asks for the archive, extracts one file), with deadlines, and
 * returns its path. Leaves nothing behind if it fails; throws StartError.
 */
export async function download(options: DownloadOptions): Promise<string> {
  const { destination, executable } = options;
  fs.mkdirSync(path.dirname(destination), { recursive: true });
  const folder = fs.mkdtempSync(`${destination}.`);
  const clock = deadline(options);
  try {
    await fill(folder, options, clock);
    fs.rmSync(destination, { recursive: true, force: true });
    fs.renameSync(folder, destination);
    return path.join(destination, executable);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw reason(error, clock.signal);
  } finally {
    clock.end();
  }
}
