import { describe, expect, it } from '@jest/globals';
import { median, questionOf, weightedMedian } from '../../src/reports/rules.ts';

describe('a question in the report', () => {
  it.each([
    ['Qual o horário de funcionamento?', 'qual o horario de funcionamento'],
    ['  qual   o horário de FUNCIONAMENTO', 'qual o horario de funcionamento'],
    ['Do you ship to Lisbon?', 'do you ship to lisbon'],
    ['¿Cuánto cuesta el envío?', 'cuanto cuesta el envio'],
  ])('%j is counted as %j', (text, question) => {
    expect(questionOf(text)).toBe(question);
  });

  it.each(['Obrigado!', 'ok', '?', '👍?', '', '12345?'])('%j is none', (text) => {
    expect(questionOf(text)).toBeNull();
  });

  it.each([
    ['Meu e-mail ana.souza@example.com está certo?', 'ana'],
    ['Podem ligar para +55 (11) 98765-4321?', '98765'],
    ['Meu CPF 123.456.789-09 já foi aprovado?', '456'],
    ['Viram https://example.com/pedido/8812?token=abc ?', 'token'],
  ])('never shows who asked: %j', (text, personal) => {
    const question = questionOf(text);

    expect(question).not.toBeNull();
    expect(question).not.toContain(personal);
  });

  it('is cut after 160 characters', () => {
    expect(questionOf(`Qual ${'𝒶'.repeat(300)}?`)).toBe(`qual ${'𝒶'.repeat(155)}`);
  });

  it('is found quickly in whatever is sent', () => {
    const before = performance.now();

    for (const text of [
      '1'.repeat(100_000),
      '('.repeat(100_000),
      'a@'.repeat(50_000),
      ' '.repeat(100_000),
    ])
      questionOf(`${text}?`);

    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe('the median', () => {
  it('is the middle, or between the two in the middle, and none of nothing', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, null]);
  });
});

describe('the median of values with weights', () => {
  it.each([
    [
      [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
      2,
    ],
    [
      [
        [3, 5],
        [1, 1],
      ],
      3,
    ],
    [
      [
        [1, 2],
        [4, 2],
      ],
      2.5,
    ],
    [[], null],
  ] as const)('of %j is %j', (weights, expected) => {
    expect(weightedMedian(new Map(weights))).toBe(expected);
  });
});
