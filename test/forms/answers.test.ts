import { describe, expect, it } from '@jest/globals';
import { countryOf, readLocalPhone } from '../../src/contacts/identity/local-phones.ts';
import { type AnswerValue, readAnswers } from '../../src/forms/answers.ts';
import { type Reading, readingIn } from '../../src/forms/reading.ts';
import type { FormField } from '../../src/forms/rules.ts';

const TODAY = '2026-11-21';
const PT: Reading = readingIn('pt-BR', TODAY);
const EN: Reading = readingIn('en-US', TODAY);

/** The value that was taken, or the problem's code in brackets. */
function read(field: Partial<FormField>, sent: readonly string[], reading = PT): AnswerValue {
  const whole: FormField = {
    key: 'q',
    type: 'text',
    label: 'Q',
    required: false,
    save_to: '',
    options: [],
    ...field,
  };
  const { values, problems } = readAnswers([whole], () => sent, reading);
  const problem = problems.get('q');
  return problem ? `[${problem.code}]` : (values.get('q') ?? null);
}

describe('an answer', () => {
  it.each<[FormField['type'], string, AnswerValue]>([
    ['text', '  Ana  ', 'Ana'],
    ['text', 'a\r\nb', 'a b'],
    ['text', '🎂'.repeat(200), '🎂'.repeat(200)],
    ['text', '🎂'.repeat(201), '[too_long]'],
    ['text', '   ', null],
    ['long_text', 'a\r\nb\rc', 'a\nb\nc'],
    ['long_text', 'x'.repeat(2001), '[too_long]'],
    ['email', 'ana@exemplo.com', 'ana@exemplo.com'],
    ['email', 'compras&vendas@exemplo.com', 'compras&vendas@exemplo.com'],
    ['email', 'ana@', '[email]'],
    ['email', `${'a'.repeat(100_000)}@x.com`, '[email]'],
    ['phone', '11 98765-4321', '+5511987654321'],
    ['phone', '98765-4321', '[phone]'],
    ['number', '1.234,56', 1234.56],
    ['number', '12,5', 12.5],
    ['number', '12.5', 12.5],
    ['number', '-3', -3],
    ['number', '1.234', 1234],
    ['number', '1e400', '[number]'],
    ['number', '0x10', '[number]'],
    ['number', '٣', '[number]'],
    ['number', '9'.repeat(31), '[number]'],
    ['date', '2026-02-28', '2026-02-28'],
    ['date', '31/12/2026', '2026-12-31'],
    ['date', '2026-02-30', '[date]'],
    ['date', '0000-01-01', '[date]'],
    ['date', '+010000-01-01', '[date]'],
    ['checkbox', '', false],
    ['checkbox', 'on', true],
    ['consent', '1', true],
  ])('of type %s is read from %j', (type, sent, value) => {
    expect(read({ type }, [sent])).toEqual(value);
  });

  it('of a number or date follows the page where the two ways differ', () => {
    expect(read({ type: 'number' }, ['1,234'], EN)).toBe(1234);
    expect(read({ type: 'number' }, ['1,234'], PT)).toBe(1.234);
    expect(read({ type: 'date' }, ['03/04/2026'], EN)).toBe('[date]');
  });

  it.each([
    ['pt', 12500, '2026-04-03'],
    ['es-AR', 12500, '2026-04-03'],
    ['es-ES', 12500, '2026-04-03'],
    ['es-MX', 12.5, '2026-04-03'],
    ['en-GB', 12.5, '2026-04-03'],
    ['en-US', 12.5, '[date]'],
    ['de-CH', 12.5, '2026-04-03'],
    ['ja', 12.5, '[date]'],
    ['tlh', 12.5, '[date]'],
  ])('of a number or date in %s is read as it is written there', (language, number, date) => {
    const reading = readingIn(language, TODAY);
    expect(read({ type: 'number' }, ['12.500'], reading)).toBe(number);
    expect(read({ type: 'date' }, ['03/04/2026'], reading)).toBe(date);
  });

  it('that is a birthday lies between 1900 and today', () => {
    const birthday = { type: 'date', save_to: 'birth_date' } as const;

    expect(read(birthday, ['2026-11-21'])).toBe('2026-11-21');
    expect(read(birthday, ['2026-11-22'])).toBe('[birth_date]');
    expect(read(birthday, ['1899-12-31'])).toBe('[birth_date]');
  });

  it('is one of the options, blanks around them included', () => {
    const options = [' A ', 'B'];

    expect(read({ type: 'select', options }, [' A '])).toBe(' A ');
    expect(read({ type: 'select', options }, ['C'])).toBe('[option]');
    expect(read({ type: 'multi_select', options }, ['B', ' A ', 'B'])).toEqual([' A ', 'B']);
    expect(read({ type: 'multi_select', options }, ['B', 'toString'])).toBe('[option]');
    expect(read({ type: 'multi_select', options }, [])).toBeNull();
  });

  it('must be there where it is required, and once where there is one place', () => {
    expect(read({ required: true }, [])).toBe('[required]');
    expect(read({ required: true }, ['\u200b'])).toBe('[required]');
    expect(read({ type: 'text' }, ['\u200b'])).toBeNull();
    expect(read({ type: 'select', options: ['A'], required: true }, [''])).toBe('[choose]');
    expect(read({ type: 'multi_select', options: ['A'], required: true }, [])).toBe('[choose]');
    expect(read({ type: 'consent', required: true }, [])).toBe('[tick]');
    expect(read({ type: 'text' }, ['a', 'b'])).toBe('[several]');
  });
});

describe('a phone as people write it', () => {
  it.each([
    ['11 98765-4321', 'BR', '+5511987654321'],
    ['(11) 8765-4321', 'BR', '+551187654321'],
    ['011 98765-4321', 'BR', '+5511987654321'],
    ['+55 11 98765-4321', 'US', '+5511987654321'],
    ['5511987654321', 'BR', '+5511987654321'],
    ['\u202a+55 11 98765\u20114321\u202c', 'US', '+5511987654321'],
    ['\u2068(415) 555\u20112671\u2069', 'US', '+14155552671'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['+55 11 98765-4321', null, '+5511987654321'],
    ['(415) 555-2671', null, null],
    ['11 98765-4321', null, null],
    ['11 98765-4321', '419', null],
    ['98765-4321', 'BR', null],
    ['00 55 11 98765-4321', 'BR', null],
    ['11 98765-4321 ramal 5', 'BR', null],
    ['555-2671', 'US', null],
    ['1'.repeat(100_000), 'BR', null],
    ['', 'BR', null],
  ])('%j in %s is %s', (written, country, e164) => {
    expect(readLocalPhone(written, country)?.e164 ?? null).toBe(e164);
  });

  it.each([
    ['pt-BR', 'BR'],
    ['en-US', 'US'],
    ['de-Latn-CH', 'CH'],
    ['pt', 'BR'],
    ['nonsense!', 'BR'],
    ['en', null],
    ['es', null],
  ])('in a workspace of the language %s is of the country %s', (language, country) => {
    expect(countryOf(language)).toBe(country);
  });
});
