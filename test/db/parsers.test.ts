import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parsers } from '../../src/db/connections/parsers.ts';

const TIMESTAMPTZ = 1184;
const ours = parsers.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;
const drivers = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;

describe('times from PostgreSQL', () => {
  it.each([
    '2026-11-21 03:04:05.678901+00',
    '2026-11-21 03:04:05+00',
    '2026-11-21 03:04:05.6+00',
    '2026-11-21 03:04:05.07+00',
    '2028-02-29 23:59:59.999999+00',
    '1000-01-01 00:00:00+00',
    '0001-01-01 00:00:00+00',
    '2026-11-21 03:04:05.67-03',
    '2026-11-21 03:04:05+05:30',
    '12026-11-21 03:04:05+00',
    '0044-03-15 00:00:00+00 BC',
    'infinity',
    '-infinity',
  ])('reads %s as the driver does', (text) => {
    expect(Number(ours(text))).toBe(Number(drivers(text)));
  });
});
