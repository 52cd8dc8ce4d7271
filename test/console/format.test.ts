import { expect, it } from '@jest/globals';
import { formatFor } from '../../src/pages/format.ts';

it.each(['Pacific/Kiritimati', 'Pacific/Auckland', 'America/Sao_Paulo', 'Etc/GMT+12'])(
  'shows a day of the calendar as that day in %s',
  (timeZone) => {
    expect(formatFor('en', timeZone).date('2026-11-24')).toBe('Nov 24, 2026');
    expect(formatFor('pt-BR', timeZone).date('2026-11-24')).toBe('24 de nov. de 2026');
  },
);

it.each([
  ['Pacific/Kiritimati', 'Nov 25, 2026'],
  ['America/Sao_Paulo', 'Nov 24, 2026'],
])('shows on which day a moment is in %s', (timeZone, day) => {
  const format = formatFor('en', timeZone);

  expect(format.day('2026-11-25T01:00:00Z')).toBe(day);
  expect(format.moment('2026-11-25T01:00:00Z')).toContain(day);
});
