import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { StartError } from '../../src/embedded/start-error.ts';
import {
  acquire,
  cacheDir,
  execute,
  onPath,
  type Step,
} from '../../src/embedded/temporal/acquire.ts';

/** The package's own version, so that a newer one is unpacked anew. */
const PACKED = '153.0.0';
const UNPACKED = path.join(cacheDir(), `chromium-${PACKED}`);
/** The package brings the few libraries that a machine without a desktop lacks. */
const LIBRARIES = path.join(UNPACKED, 'al2023', 'lib');
const UNPACK = path.join(import.meta.dirname, 'unpack-chromium.mjs');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

const environment = (file: string): Record<string, string> => {
  const own = Object.entries(process.env).filter(([, value]) => value !== undefined);
  const env = Object.fromEntries(own) as Record<string, string>;
  return file.startsWith(UNPACKED) ? { ...env, LD_LIBRARY_PATH: LIBRARIES } : env;
};

const runs = (file: string): boolean =>
  spawnSync(file, ['--version', '--no-sandbox'], {
    stdio: 'ignore',
    timeout: 20_000,
    env: environment(file),
  }).status === 0;

const working = (file: string | undefined): string | undefined =>
  file && fs.existsSync(file) && runs(file) ? file : undefined;

/** Another process may unpack at the same moment: each does it beside, and the first one's stays. */
async function unpack(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new StartError(`no package for ${process.platform}-${process.arch}`);
  fs.mkdirSync(cacheDir(), { recursive: true });
  const folder = fs.mkdtempSync(`${UNPACKED}.`);
  // The name of that environment makes it unpack its libraries too.
  const env = { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  try {
    await execute(process.execPath, [UNPACK], { timeoutMs: 60_000, env });
    fs.renameSync(folder, UNPACKED);
  } catch (error) {
    if (!fs.existsSync(UNPACKED)) throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return path.join(UNPACKED, 'chromium');
}

function steps(): Step[] {
  const chosen = process.env['CHROMIUM'];
  if (chosen) return [{ name: 'CHROMIUM', chosen: true, find: () => working(chosen) }];
  return [
    { name: 'PATH', find: () => working(NAMES.map(onPath).find(Boolean)) },
    { name: 'Google Chrome', find: () => working(MAC_CHROME) },
    { name: 'cache', find: () => working(path.join(UNPACKED, 'chromium')) },
    { name: 'package', find: async () => working(await unpack()) },
  ];
}

/** Half of what a test may take: a busy machine is slow in starting a browser and in showing a page. */
const PATIENT_MS = 120_000;

const REMEDY = 'Install Chromium or Google Chrome, or give the path of one as CHROMIUM.';

/**
 * A real browser: the machine's own, else the one that a package brings.
 *
 * @param more arguments of its command line, as `--host-resolver-rules=MAP console.test 127.0.0.1:4000`
 */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const executablePath = await acquire(
    { what: 'Chromium', steps: steps(), remedy: REMEDY },
    () => {},
  );
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...more];
  const browser = await chromium.launch({
    executablePath,
    args,
    env: environment(executablePath),
    timeout: PATIENT_MS,
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENT_MS));
  return browser;
}

/** What the browser itself complains about: scripts that failed, and what the page's policy stopped. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused answer is an answer too: the browser notes its status, which the test looks at itself.
    const status = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !status) complaints.push(message.text());
  });
  return complaints;
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

const EVERY_RULE = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What the other colour scheme of a page can change about it. */
export const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds in the page as it stands, one line each; everything that is not minor. */
export async function accessibilityFindings(
  page: Page,
  runOnly: readonly string[] = EVERY_RULE,
): Promise<string[]> {
  const look = async () => {
    await page.evaluate(axe.source);
    const found = await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)} })`);
    return found as { violations: readonly Finding[] };
  };
  // A live page reloads itself when the state of its record has changed: then it is looked at anew.
  const { violations } = await look().catch(async (error: Error) => {
    if (!error.message.includes('Execution context was destroyed')) throw error;
    await page.waitForLoadState();
    return look();
  });
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(
      ({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html }) => html).join(' ')}`,
    );
}
