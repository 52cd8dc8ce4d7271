import { describe, expect, it } from '@jest/globals';
import { answerTo } from '../../../src/automations/running/listening/answers.ts';

describe('what somebody answers', () => {
  it.each([
    ['text', ' Um bolo. ', 'Um bolo.'],
    ['number', '1.234,5', '1234.5'],
    ['number', 'uns dez', null],
    ['email', 'ana@example.com', 'ana@example.com'],
    ['email', 'ana@', null],
    ['phone', '11 98765-4321', '+5511987654321'],
    ['phone', '+1 202 555 0143', '+12025550143'],
    ['phone', '98765', null],
    ['date', '31/12/2026', '2026-12-31'],
    ['date', '2026-02-30', null],
    ['yes_no', 'SIM!', 'yes'],
    ['yes_no', 'Não, obrigado', 'no'],
    ['yes_no', '👍🏽', 'yes'],
    ['yes_no', 'talvez', null],
    ['text', '   ', null],
  ] as const)('of %s: %j is %j', (expects, written, expected) => {
    expect(answerTo({ expects, options: [] }, written, 'pt-BR')?.text ?? null).toBe(expected);
  });

  it.each([
    ['es-AR', '12500'],
    ['es-MX', '12.5'],
    ['en-GB', '12.5'],
  ])('in a workspace of %s is a number as it is written there', (language, expected) => {
    expect(answerTo({ expects: 'number', options: [] }, '12.500', language)?.text).toBe(expected);
  });

  it('of a choice is none of its signs where other signs are written', () => {
    const question = { expects: 'choice' as const, options: ['👍', 'Não'] };

    expect(answerTo(question, '!!!', 'pt-BR')).toBeNull();
    expect(answerTo(question, '👍', 'pt-BR')?.text).toBe('👍');
  });

  it.each([
    ['limao', 'Limão'],
    ['2', 'Coco'],
    ['12', '12'],
    ['3', '12'],
    ['4', null],
    ['', null],
    ['limão e coco', null],
  ])('of a choice: %j is %j', (written, expected) => {
    const options = ['Limão', 'Coco', '12'];
    expect(answerTo({ expects: 'choice', options }, written, 'pt-BR')?.text ?? null).toBe(expected);
  });

  it.each([
    [['A+', 'A-'], 'a-', 'A-'],
    [['A+', 'A-'], 'A', null],
    [['A+', 'A-'], '2', 'A-'],
    [['C', 'C#', 'C++'], 'c#', 'C#'],
    [['C', 'C#', 'C++'], 'c++', 'C++'],
    [['C', 'C#', 'C++'], ' c ', 'C'],
    [['👍', '👎'], '👎', '👎'],
    [['👍', '👎'], '🤷', null],
    [['Sé', 'Se'], 'se', 'Se'],
    [['Sim!', 'Não'], 'sim', 'Sim!'],
  ])('of a choice whose options %j differ in signs: %j is %j', (options, written, expected) => {
    expect(answerTo({ expects: 'choice', options }, written, 'pt-BR')?.text ?? null).toBe(expected);
  });
});
