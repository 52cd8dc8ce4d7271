import { describe, expect, it } from '@jest/globals';
import { checkEndpointUrl } from '../../src/net/url.ts';

const refused: [group: string, rule: string, urls: string[]][] = [
  [
    'IPv4 in every spelling',
    'no_ip',
    [
      'https://127.0.0.1/',
      'https://127.1/',
      'https://127.0.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0x7f.1/',
      'https://017700000001/',
      'https://0177.0.0.1/',
      'https://00000177.0.0.1/',
      'https://127.000.000.001/',
      'https://127.0.0.1./',
      'https://0/',
      'https://0.0.0.0/',
      'https://0x0/',
      'https://127%2e0%2e0%2e1/',
      'https://%31%32%37.0.0.1/',
      'https://①②⑦.⓪.⓪.①/',
      'https://127。0。0。1/',
      'https://１２７.0.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://0xA9FEA9FE/',
      'https://2852039166/',
      'https://025177524776/',
      'https://169.254.43518/',
      'https://0xa9.0xfe.0xa9.0xfe/',
      'https://１６９。２５４。１６９。２５４/',
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://192.168.1.1/',
      'https://100.64.0.1/',
      'https://8.8.8.8/',
      'https://１.1',
    ],
  ],
  [
    'IPv6 literals',
    'no_ip',
    [
      '::1',
      '::',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::a9fe:a9fe',
      '2002:7f00:1::',
      '2001:0:a9fe:a9fe::1',
      'fe80::1',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '2606:4700:4700::1111',
    ].map((address) => `https://[${address}]/`),
  ],
  [
    'what the parser refuses',
    'malformed',
    [
      'https://[fe80::1%25eth0]/',
      'https://[127.0.0.1]/',
      'https://[v1.foo]/',
      'https://::1/',
      'https://425.510.425.510/',
      'https://4294967296/',
      'https://256.256.256.256/',
      'https://0o177.0.0.1/',
      'https://example.com:65536/',
      'https://127.0.0.1:80:80/',
      'https://x.local%2f/',
      'https://example.com%00.evil.com/',
      '//example.com/',
      'https://',
      '',
      'null',
    ],
  ],
  [
    'reserved names',
    'reserved_domain',
    [
      'https://localhost/',
      'https://LOCALHOST/',
      'https://localhost./',
      'https://lOcAlHoSt%2e/',
      'https://foo.localhost/',
      'https://foo.localhost./',
      'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
      'https://loc\u00adalhost/',
      'https://local\u200bhost/',
      'https://localhost.localdomain/',
      'https://printer.local/',
      'https://printer.local./',
      'https://x。local/',
      'https://metadata.google.internal/',
      'https://metadata.google.internal./',
      'https://x.ｉｎｔｅｒｎａｌ/',
      'https://intranet/',
      'https://postgres/',
      'https://instance-data/',
      'https://com/',
      'https://1e1/',
      'https://router.home.arpa/',
      'https://x.onion/',
      'https://x.test/',
      'https://x.invalid/',
      'https://x.example/',
    ],
  ],
  [
    'user names and passwords',
    'no_credentials',
    [
      'https://user@example.com/',
      'https://user:pw@example.com/',
      'https://@example.com/',
      'https://:@example.com/',
      'https://example.com@169.254.169.254/',
      'https://example.com:@evil.com/',
    ],
  ],
  ['an address before a fragment', 'no_ip', ['https://127.0.0.1#@example.com/']],
  [
    'text that the parser repairs',
    'malformed',
    [
      'https://127.0.0.1\\@example.com/',
      'https://example.com\\@127.0.0.1/',
      'https:\\\\127.0.0.1\\',
      'https:127.0.0.1',
      'https:/127.0.0.1/',
      'https:///127.0.0.1/',
      'https:example.com',
      'https://example.com%40127.0.0.1/',
    ],
  ],
  [
    'other schemes',
    'https_only',
    [
      'http://',
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_x',
      'javascript:alert(1)',
      'data:text/plain,x',
      'ws://example.com/',
      'blob:https://example.com/x',
      'https+unix://%2ftmp%2fx',
      'unix:/var/run/docker.sock',
    ],
  ],
  ['ports', 'port', [0, 22, 25, 80, 110, 1023].map((port) => `https://example.com:${port}/`)],
  [
    'control characters and shapes',
    'malformed',
    [
      'https://example.com/hook#part',
      'https://exam\tple.com/',
      'https://exam\nple.com/',
      'https://example.com/a\r\nHost: x',
      ' https://example.com/',
      'https://example.com/ ',
      `https://example.com/${'a'.repeat(2_049 - 'https://example.com/'.length)}`,
      `https://${'a'.repeat(64)}.com/`,
      `https://${'a.'.repeat(125)}comm/`,
      'https://example..com',
      'https://.example.com',
      'https://-example.com',
      'https://exa_mple.com',
      'https://*.example.com',
      'https://xn--/',
      'https://xn--.com/',
    ],
  ],
];

const accepted: [given: string, stored: string][] = [
  ['https://example.com:443', 'https://example.com/'],
  ['https://example.com:8443/hook', 'https://example.com:8443/hook'],
  ['https://example.com:65535/', 'https://example.com:65535/'],
  ['HTTPS://Example.COM/Hook?a=1&b=%20', 'https://example.com/Hook?a=1&b=%20'],
  ['https://аррle.com/', 'https://xn--le-6kc8da.com/'],
  ['https://example.com/%0d%0aHost:%20x', 'https://example.com/%0d%0aHost:%20x'],
  ['https://example.com./', 'https://example.com./'],
  ['https://example.com/@user', 'https://example.com/@user'],
  ['https://hooks.internal.example.com/', 'https://hooks.internal.example.com/'],
  [
    `https://example.com/${'a'.repeat(2_048 - 'https://example.com/'.length)}`,
    `https://example.com/${'a'.repeat(2_048 - 'https://example.com/'.length)}`,
  ],
];

describe('the text of an endpoint URL', () => {
  it.each(
    refused.flatMap(([group, rule, urls]) =>
      urls.map((url) => [group, url.slice(0, 80), rule, url]),
    ),
  )('refuses %s: %j as %s', (_group, _shown, rule, url) => {
    const verdict = checkEndpointUrl(url ?? '', []);

    expect(verdict).toMatchObject({ ok: false, rule });
  });

  it.each(accepted)('accepts %s and stores its canonical form', (given, stored) => {
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
