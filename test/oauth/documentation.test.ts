import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { opened } from '../support/opened.ts';
import { answer, ask } from './support/browser.ts';
import { anApp, aPerson, REDIRECT } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const ROOT = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/apps.md', ROOT), 'utf8');
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);

const scene = opened(openOAuthScene);

/** As a reader runs it, with the variables that the page names. */
async function run(command: string, known: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...process.env, BASE: scene.baseUrl, ...known };
  const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: ROOT, env });
  return stdout;
}

it('the commands of the page lead from a registered app to a disconnected one', async () => {
  expect(commands).toHaveLength(8);
  const [
    register = '',
    metadata = '',
    making = '',
    address = '',
    exchange = '',
    call = '',
    renew = '',
    end = '',
  ] = commands;
  const person = await aPerson(scene);
  const app = await anApp(person.ctx);
  const known: Record<string, string> = {
    CLIENT_ID: app.id,
    CLIENT_SECRET: app.secret,
    REDIRECT_URI: REDIRECT,
  };
  const [VERIFIER = '', STATE = ''] = (await run(`${making}\necho $VERIFIER $STATE`, known))
    .trim()
    .split(' ');
  Object.assign(known, { VERIFIER, STATE });
  const keep = (tokens: { access_token: string; refresh_token: string }): void => {
    known['ACCESS_TOKEN'] = tokens.access_token;
    known['REFRESH_TOKEN'] = tokens.refresh_token;
  };

  expect(JSON.parse(await run(register, known))).toMatchObject({ client_name: 'My planner' });
  expect(JSON.parse(await run(metadata, known))).toMatchObject({ issuer: scene.issuer });
  const browser = new CookieBrowser();
  const asked = await ask(browser, (await run(address, known)).trim());
  const back = await answer(browser, asked, person.approval(asked.view.scopes));
  known['CODE'] = back.searchParams.get('code') ?? '';
  keep(JSON.parse(await run(exchange, known)));
  expect(JSON.parse(await run(call, known))).toHaveProperty('data');
  keep(JSON.parse(await run(renew, known)));
  expect(JSON.parse(await run(call, known))).toHaveProperty('data');
  await run(end, known);
  expect(JSON.parse(await run(call, known))).toMatchObject({ error: { code: 'unauthorized' } });
});
