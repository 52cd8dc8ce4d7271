import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { connect } from 'node:net';
import { accepts } from '../../../src/embedded/ports.ts';
import { ownPort } from '../ports.ts';
import { noteStarted } from '../run-folder.ts';
import { eventually } from '../waiting.ts';
import { folderWith, programEnv, type Snippet } from './snippets.ts';

const GUIDE = new URL('../../../docs/webhooks.md', import.meta.url);

/** The program that the guide shows for a language, word for word. */
function documentedReceiver({ language, fence }: Snippet): string {
  const blocks = fs.readFileSync(GUIDE, 'utf8').split(`\n\`\`\`${fence}\n`).slice(1);
  const [program, ...more] = blocks.map((block) => block.split('\n```\n')[0] ?? '');
  if (program === undefined || more.length > 0)
    throw new Error(`The guide has ${blocks.length} programs for ${language}.`);
  return program;
}

export interface RunningProgram {
  readonly url: string;
  /** What it printed. */
  said(): string;
  stop(): Promise<void>;
}

/** Starts what the guide shows, beside the verifier that it copies. */
export async function startDocumented(
  snippet: Snippet,
  secrets: readonly string[],
): Promise<RunningProgram> {
  const { program, command } = snippet.serve;
  const folder = folderWith({ ...snippet, program }, documentedReceiver(snippet));
  const port = await ownPort();
  const [interpreter, ...args] = command;
  const env = programEnv({ PORT: String(port), WEBHOOK_SECRETS: secrets.join(' ') });
  const child = spawn(interpreter, args, { cwd: folder, env });
  if (child.pid) noteStarted({ pid: child.pid, mark: interpreter, signal: 'SIGKILL' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => child.exitCode === null && (await accepts(port)), {
      timeoutMs: 240_000,
      instead: () => said,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, said: () => said, stop };
}

/** Hangs up in the middle of a request, as anybody may; resolves once the program has closed the connection. */
export async function hangUpOn({ url }: RunningProgram): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).resume();
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end('POST / HTTP/1.1\r\nhost: receiver\r\ncontent-length: 100\r\n\r\n{"id":');
  await closed;
}
