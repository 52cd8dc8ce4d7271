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

  it('explains each refusal in a sentence', () => {
    expect(checkEndpointUrl('http://example.com/', [])).toEqual({
      ok: false,
      rule: 'https_only',
      message: 'The URL must start with https://.',
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
