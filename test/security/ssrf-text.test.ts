import { describe, expect, it } from '@jest/globals';
import { checkEndpointUrl } from '../../src/net/url.ts';
import { acceptedUrls, refusedUrls } from '../net/support/urls.ts';

describe('the text of an endpoint URL', () => {
  it.each(
    refusedUrls.flatMap(([group, rule, urls]) =>
      urls.map((url) => [group, url.slice(0, 80), rule, url]),
    ),
  )('refuses %s: %j as %s', (_group, _shown, rule, url) => {
    const verdict = checkEndpointUrl(url ?? '', []);

    expect(verdict).toMatchObject({ ok: false, rule });
  });

  it.each(acceptedUrls)('accepts %s and stores its canonical form', (given, stored) => {
    expect(checkEndpointUrl(given, [])).toEqual({ ok: true, href: stored });
  });

  it.each([
    ['http://example.com/', 'https_only', 'The URL must start with https://.'],
    ['hooks.example.com/in', 'malformed', 'The URL must be absolute'],
    ['https://hooks_prod.example.com/', 'malformed', 'letters, digits and hyphens'],
    ['https://example.com/in#orders', 'malformed', 'must not contain #'],
    ['https://example.com/in ', 'malformed', 'must not contain spaces'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'malformed', 'at most 2,048 characters'],
    [
      `https://example.com/${'é'.repeat(400)}`,
      'malformed',
      'at most 2,048 characters, as it is sent',
    ],
  ])('is told what is wrong with it: %.40s', (url, rule, message) => {
    expect(checkEndpointUrl(url, [])).toEqual({
      ok: false,
      rule,
      message: expect.stringContaining(message),
    });
  });
});

describe('a trusted origin', () => {
  const trusted = ['http://127.0.0.1:3999'];

  it.each(['http://127.0.0.1:3999/', 'http://127.0.0.1:3999/hook?shop=1'])(
    'is accepted as it is: %s',
    (url) => {
      expect(checkEndpointUrl(url, trusted)).toEqual({ ok: true, href: url });
    },
  );

  it.each([
    'http://127.0.0.1:3998/',
    'https://127.0.0.1:3999/',
    'http://localhost:3999/',
    'http://127.0.0.1:39990/',
    'http://user@127.0.0.1:3999/',
    'http://127.0.0.1:3999@example.com/',
    'blob:http://127.0.0.1:3999/x',
    'http://127.0.0.1:3999\\@example.com/',
  ])('opens nothing else: %s', (url) => {
    expect(checkEndpointUrl(url, trusted).ok).toBe(false);
  });
});
