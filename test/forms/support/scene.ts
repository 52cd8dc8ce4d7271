import { getContact } from '../../../src/contacts/service.ts';
import type { Context } from '../../../src/context.ts';
import type { Database } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { formMount } from '../../../src/forms/page/mount.ts';
import { formRoutes } from '../../../src/forms/routes.ts';
import type { SubmissionView } from '../../../src/forms/schema.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { doorOf, type OpenDoor, type Reply, serveApi } from '../../support/http.ts';
import { aMember } from '../../support/members.ts';

/** A workspace with the API and the public pages in front of it. */
export interface FormScene extends OpenDoor {
  readonly ctx: Context;
  /** An API key with every scope. */
  readonly key: string;
  /** A person's token: forms are drafted by people. */
  readonly token: string;
  /** What the pages take for now. */
  setNow(now: Date | null): void;
}

export async function aFormScene(): Promise<FormScene> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  const { key } = await anApiKey(ctx, [
    'forms:read',
    'forms:write',
    'contacts:read',
    'contacts:write',
  ]);
  const { token } = await aMember(ctx, { role: 'admin' });
  let fixed: Date | null = null;
  const clock = { now: () => fixed ?? new Date(), skewMs: 0 };
  const page = formMount({ database, wake: () => {}, clock, keyring: testKeyring });
  const api = await serveApi(database, {
    routes: formRoutes({ keyring: testKeyring, baseUrl: 'http://api.test' }),
    keyring: testKeyring,
    clock,
    mounts: [page],
  });
  return {
    ctx,
    key,
    token,
    ...doorOf(database, api),
    setNow: (now) => {
      fixed = now;
    },
  };
}

/** Every address has a quota: each test comes from its own, by way of nobody but itself. */
export const freshCounters = (database: Database): Promise<unknown> =>
  database.system.query('delete from rate_windows');

export interface OpenedPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  readonly token: string;
}

export async function openPage({ api }: FormScene, path: string): Promise<OpenedPage> {
  const response = await fetch(api.url + path);
  const html = await response.text();
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return { status: response.status, html, headers: response.headers, token };
}

export type Filled = Readonly<Record<string, string | readonly string[]>>;

/** What a browser sends: answers by the field's key, and the page's own fields as they are. */
export function sendPage(
  { api }: FormScene,
  formId: string,
  { token, answers = {}, other = {} }: { token: string; answers?: Filled; other?: Filled },
): Promise<Reply> {
  const body = new URLSearchParams({ token });
  const add = (name: string, value: string | readonly string[]): void => {
    for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
  };
  for (const [key, value] of Object.entries(answers)) add(`a_${key}`, value);
  for (const [name, value] of Object.entries(other)) add(name, value);
  return api.call('POST', `/f/${formId}`, {
    body: body.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** Opens the page and sends it. */
export async function fillIn(
  scene: FormScene,
  formId: string,
  answers: Filled,
  other: Filled = {},
): Promise<Reply> {
  const { token } = await openPage(scene, `/f/${formId}`);
  return sendPage(scene, formId, { token, answers, other });
}

export async function submissionsOf(scene: FormScene, formId: string): Promise<SubmissionView[]> {
  const { key } = scene;
  const reply = await scene.api.call('GET', `/api/v1/forms/${formId}/submissions`, { key });
  return reply.body.data as SubmissionView[];
}

let lines = 10_000_000;

/** A Brazilian mobile that nobody has yet, as people write it and as it is kept. */
export function aPhone(): { written: string; e164: string } {
  lines += 1;
  const line = `9${lines}`;
  return { written: `11 ${line.slice(0, 5)}-${line.slice(5)}`, e164: `+5511${line}` };
}

/** A contact as the API shows it. */
export const contactOf = ({ ctx }: FormScene, id: string) =>
  transact(ctx, (tx) => getContact(tx, id));

/** Fills the form in and answers what was kept of it. */
export async function answered(
  scene: FormScene,
  formId: string,
  answers: Filled,
): Promise<SubmissionView> {
  const reply = await fillIn(scene, formId, answers);
  const [newest] = await submissionsOf(scene, formId);
  if (reply.status !== 200 || !newest) throw new Error(`${reply.status}: ${reply.text}`);
  return newest;
}
