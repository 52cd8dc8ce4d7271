import { expect, it } from '@jest/globals';
import { forwardUrl } from '../../src/cli/commands/listen/target.ts';

it.each([
  ['4000', 'http://localhost:4000/'],
  ['4000/hooks?a=1', 'http://localhost:4000/hooks?a=1'],
  ['localhost:4000/hooks', 'http://localhost:4000/hooks'],
  ['127.0.0.1', 'http://127.0.0.1/'],
  ['https://example.com/4000', 'https://example.com/4000'],
])('wms listen --forward-to %s posts to %s', (given, url) => {
  expect(forwardUrl(given)).toBe(url);
});

it.each(['70000', '/hooks', '//localhost:4000/hooks', ''])(
  'wms listen refuses to post to "%s"',
  (given) => {
    expect(() => forwardUrl(given)).toThrow(/is no address to post to/);
  },
);
