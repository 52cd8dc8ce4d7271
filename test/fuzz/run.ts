import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { cacheDir } from '../../src/embedded/temporal/acquire.ts';
import startServers from '../support/global-setup.ts';
import stopServers from '../support/global-teardown.ts';
import { FUZZ_TOKEN, openTarget, type Target } from './target.ts';

// Schemathesis, an outside fuzzer from PyPI, against the whole API, driven by its own /openapi.json.
// Usage: npm run fuzz [-- --seconds 300] [-- --seed 7] [-- any option of schemathesis]

const VERSION = '4.32.5';
const SECONDS = 240;
/** What is asked of every answer. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
];

/** Installs the pinned version into the user's cache once; answers its command. */
function schemathesis(): string {
  const folder = path.join(cacheDir(), `schemathesis-${VERSION}`);
  const command = path.join(folder, 'bin', 'schemathesis');
  if (fs.existsSync(`${folder}/.ready`)) return command;
  console.log(`Installing schemathesis ${VERSION} from PyPI into ${folder} …`);
  fs.rmSync(folder, { recursive: true, force: true });
  for (const [program, args] of [
    ['python3', ['-m', 'venv', folder]],
    [path.join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`]],
  ] as const) {
    const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
    if (status !== 0)
      throw new Error(`${program} ${args.join(' ')} ended with ${status ?? error?.message}`);
  }
  fs.writeFileSync(`${folder}/.ready`, '');
  return command;
}

/** The value of one of our own options, taken out of the arguments. */
function option(args: string[], name: string, otherwise: number): number {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(args.splice(at, 2)[1]);
}

async function fuzz(command: string, target: Target, given: readonly string[]): Promise<number> {
  const args = [...given];
  const seconds = option(args, 'seconds', SECONDS);
  const folder = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'fuzz-'));
  const file = path.join(folder, 'openapi.json');
  fs.writeFileSync(file, JSON.stringify(await target.document()));
  const child = spawn(
    command,
    [
      ...[
        'run',
        file,
        '--url',
        `${target.url}/api`,
        '--header',
        `Authorization: Bearer ${FUZZ_TOKEN}`,
      ],
      ...['--checks', CHECKS.join(','), '--max-time', String(seconds), '--workers', '1'],
      ...[
        '--continue-on-failure',
        '--warnings',
        'off',
        '--request-timeout',
        '10',
        '--generation-with-security-parameters',
        'false',
        ...args,
      ],
    ],
    { cwd: folder, stdio: 'inherit' },
  );
  const status = await new Promise<number>((resolve) =>
    child.once('exit', (code) => resolve(code ?? 1)),
  );
  console.log(target.tally());
  console.log(
    `schemathesis ${VERSION}, at most ${seconds} s, checks: ${CHECKS.join(', ')}. ` +
      (status === 0 ? 'Nothing found.' : `Something was found (${status}).`),
  );
  return status;
}

const command = schemathesis();
await startServers();
try {
  const target = await openTarget();
  try {
    process.exitCode = await fuzz(command, target, process.argv.slice(2));
  } finally {
    await target.close();
  }
} finally {
  await stopServers();
}
