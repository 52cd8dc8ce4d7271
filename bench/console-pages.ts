/** (n) Pages of the console in a furnished workspace, one after the other, as their person sees them. */

import { system } from '../src/access/actor.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { createContext } from '../src/db/contexts.ts';
import { inWorkspace } from '../src/db/database.ts';
import { createDemoWorkspace } from '../src/embedded/demo/workspace.ts';
import { CookieBrowser } from '../test/support/cookie-browser.ts';
import { signedInCookie } from '../test/support/people.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { onBenchStage } from './support/stage.ts';

export interface ConsoleSizes {
  /** How often each page is asked for. */
  readonly requests: number;
}

const WARM_UP = 5;
const LIMIT_MS = 50;

/** Addresses as kinds of pages: each record's page is the same one. */
const kindOf = (address: string): string =>
  address.replace(/^\/console\/[^/]+/, '').replace(/[a-z]{3}_[0-9A-Za-z]+/g, ':id') || '/';

/** Every kind of page that links lead to. */
async function pagesFrom(browser: CookieBrowser, start: string): Promise<Map<string, string>> {
  const origin = new URL(start).origin;
  const base = new URL(start).pathname;
  const found = new Map<string, string>([[kindOf(base), start]]);
  const ahead = [start];
  for (let at = ahead.shift(); at; at = ahead.shift()) {
    const response = await browser.fetch(at);
    if (!response.ok || !response.headers.get('content-type')?.startsWith('text/html')) {
      found.delete(kindOf(new URL(at).pathname));
      continue;
    }
    for (const [, href = ''] of (await response.text()).matchAll(/href="([^"?#]+)"/g)) {
      const kind = kindOf(href);
      if (!href.startsWith(`${base}/`) || found.has(kind)) continue;
      found.set(kind, origin + href);
      ahead.push(origin + href);
    }
  }
  return found;
}

async function timesOf(browser: CookieBrowser, url: string, requests: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = -WARM_UP; n < requests; n += 1) {
    const began = performance.now();
    const response = await browser.fetch(url);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${response.status} at ${url}`);
    if (n >= 0) times.push(performance.now() - began);
  }
  return times;
}

/** Throws when a page is refused. */
export const benchConsole = ({ requests }: ConsoleSizes): Promise<boolean> =>
  onBenchStage(async ({ processes, database, wake }) => {
    const api = await processes.start('api');
    const contexts = { database, wake };
    const keyring = createKeyring(processes.encryptionKeys);
    const parts = { contexts, keyring, baseUrl: api.baseUrl };
    const now = new Date();
    const { workspaceId: organizationId } = await createDemoWorkspace(parts, now);
    const ctx = createContext(contexts, { organizationId, actor: system('bench'), now });
    const [owner] = await inWorkspace(database, organizationId, (sql) =>
      sql.rows<{ id: string }>("select id from members where role = 'owner'"),
    );
    // A session has 600 requests a minute: each page is asked for in one of its own.
    const signedIn = async (): Promise<CookieBrowser> =>
      new CookieBrowser(await signedInCookie(ctx, database, owner?.id ?? ''));
    const pages = await pagesFrom(await signedIn(), `${api.baseUrl}/console/${organizationId}`);
    const all: number[] = [];
    const figures: Figure[] = [];
    for (const [kind, url] of pages) {
      const times = await timesOf(await signedIn(), url, requests);
      all.push(...times);
      figures.push({
        what: `${kind}, p95, ms`,
        digits: 1,
        values: [percentile(times, 0.95)],
        atMost: LIMIT_MS,
      });
    }
    figures.push({
      what: 'all, p95, ms',
      digits: 1,
      values: [percentile(all, 0.95)],
      atMost: LIMIT_MS,
    });
    const title = `(n) ${pages.size} pages of the console with the demo's data, ${requests} requests for each, one at a time`;
    return report(title, figures, []);
  });
