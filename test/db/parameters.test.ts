import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parameters } from '../../src/db/connections/parameters.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: process.env['TEST_PG_URL'] ?? '' });
  await client.connect();
});

afterAll(() => client.end());

/** What PostgreSQL reads of a value, as we write it and as the driver does. */
async function bothWays(type: string, value: unknown): Promise<[ours: unknown, drivers: unknown]> {
  const read = async (values: unknown[]): Promise<unknown> => {
    const { rows } = await client.query(`select to_json($1::${type})::text as value`, values);
    return rows[0].value;
  };
  return [await read(parameters([value])), await read([value])];
}

const WORDS = [
  ['plain', ''],
  ['NULL', null, undefined, 'null'],
  ['a "quoted" word', 'a \\ backslash', '\\"both\\"', '\\n is no new line'],
  ['a comma, and {braces}', '(brackets)', "an apostrophe's", ' spaces '],
  ['a\nnew\r\nline', 'a\ttab', 'a bell \u0007', '\u007f'],
  ['São João', '👩‍👩‍👧', '\u2028', '�', '\ud83d alone'],
  ['{"json":["a \\"quoted\\" word\\n"]}'],
  [],
];

describe('parameters of statements', () => {
  it.each(WORDS)('are read as the driver writes them: words %#', async (...words) => {
    const [ours, drivers] = await bothWays('text[]', words);

    expect(ours).toBe(drivers);
  });

  it.each([
    ['int[]', [1, -2, null, 2_147_483_647]],
    ['float8[]', [0.1, 1e21, -0, Number.NaN, Number.POSITIVE_INFINITY]],
    ['boolean[]', [true, false, null]],
    ['timestamptz[]', [new Date(0), null, new Date('2028-02-29T23:59:59.999Z')]],
    ['timestamptz[]', [new Date('-000044-03-15T00:00:00Z'), new Date('+012026-11-21T00:00:00Z')]],
    ['timestamptz', new Date('2026-11-22T10:00:00.007Z')],
    ['timestamptz', new Date('0044-03-15T00:00:00Z')],
    [
      'text[]',
      [
        ['a', 'b"'],
        ['c', null],
      ],
    ],
    ['bytea[]', [Buffer.from([0, 255])]],
    ['jsonb[]', [{ a: ['b"'] }, null]],
    ['jsonb', { a: 1 }],
    ['text', 'a word'],
    ['int', null],
  ])('are read as the driver writes them: %s %j', async (type, value) => {
    const [ours, drivers] = await bothWays(type, value);

    expect(ours).toBe(drivers);
  });

  it('are written anew where they are plain', () => {
    const at = new Date('2026-11-22T10:00:00.007Z');

    expect(parameters([['a', null, 'b"'], [1, true], at, 'c', null])).toEqual([
      '{"a",null,"b\\""}',
      '{1,true}',
      '2026-11-22T10:00:00.007Z',
      'c',
      null,
    ]);
  });
});
