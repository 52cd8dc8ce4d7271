import { describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { aFlow, authorizeUrl, exchange } from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(() => openOAuthScene('https://id.example'));

describe('behind a proxy that ends TLS', () => {
  it('keeps a request in cookies that are signed, for TLS and for no script, and in none of the library’s own', async () => {
    const flow = aFlow(scene, await anApp((await aPerson(scene)).ctx));
    const address = authorizeUrl(scene, flow).replace(scene.baseUrl, scene.reached);
    const begun = await fetch(address, { redirect: 'manual' });
    const cookies = begun.headers.getSetCookie();
    const names = cookies.map((cookie) => cookie.slice(0, cookie.indexOf('=')));

    expect(begun.headers.get('location')).toMatch(/^https:\/\/id\.example\/oauth\/authorize\//);
    expect(names.sort()).toEqual([
      'as_interaction',
      'as_interaction.sig',
      'as_resume',
      'as_resume.sig',
    ]);
    for (const cookie of cookies) expect(cookie).toMatch(/path=\/.+; secure; httponly/i);
    for (const cookie of cookies) expect(cookie).toMatch(/samesite=lax/i);
    expect(begun.headers.get('strict-transport-security')).toContain('max-age');
  });
});

describe('while the database is away', () => {
  it('says to try again, and not that something was wrong with the request', async () => {
    const flow = aFlow(scene, await anApp((await aPerson(scene)).ctx));
    const { system } = scene.database;
    const connect = system.connect.bind(system);
    // Single statements still run: the transaction is what cannot begin.
    system.connect = ((told?: Parameters<typeof connect>[0]) =>
      told ? connect(told) : Promise.reject(new Error('away'))) as typeof system.connect;
    const said = await exchange({ issuer: `${scene.reached}/api/auth` }, flow, 'x').finally(() => {
      system.connect = connect;
    });

    expect([said.status, said.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(said.headers.get('retry-after')).toBe('1');
    expect(said.headers.get('access-control-allow-origin')).toBe('*');
  });
});
