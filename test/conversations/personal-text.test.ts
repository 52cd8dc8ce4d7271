import { describe, expect, it } from '@jest/globals';
import { LONGEST, truncate } from '../../src/conversations/sending/lengths.ts';
import {
  render,
  variableProblems,
  wordsFrom,
} from '../../src/conversations/sending/personal-text.ts';

const ana = {
  name: ' Ana Maria Souza ',
  custom: { city: 'Recife', visits: 3, empty: '', tags: ['a', 'b'] },
};

describe('the text of a campaign', () => {
  it.each([
    ['no variable at all', 'no variable at all'],
    ['Oi {{name}}', 'Oi Ana Maria Souza'],
    ['Oi {{ first_name }}!', 'Oi Ana!'],
    ['{{custom.city}}, {{custom.visits}}, {{custom.tags}}', 'Recife, 3, a, b'],
    ['{{custom.gone|por aí}}', 'por aí'],
    ['{{custom.empty|vazio}}', 'vazio'],
    ['{{custom.gone|}}.', '.'],
    ['{{custom.city|fallback}}', 'Recife'],
    ['{ {name} } {{', '{ {name} } {{'],
  ])('reads %j as %j', (text, expected) => {
    expect(render(text, ana)).toBe(expected);
  });

  it.each(['Oi {{custom.gone}}', '{{custom.empty}}', '{{custom.constructor}}'])(
    'is no text at all where %j misses a value without a fallback',
    (text) => {
      expect(render(text, ana)).toBeNull();
    },
  );

  it.each(['{{custom.gone|}}', ' {{custom.empty| }} {{custom.gone|}}'])(
    'is no text at all where %j leaves nothing to say',
    (text) => {
      expect(render(text, ana)).toBeNull();
      expect(wordsFrom(text)).toContain('custom.gone');
      expect(wordsFrom(`${text} {{name|você}}`)).toEqual([]);
    },
  );

  it.each([
    ' '.repeat(64_000),
    `a${' '.repeat(64_000)}a`,
    `${'{{ '.repeat(20_000)}a | b`,
    `x ${'name|'.repeat(12_000)}name ${'first_name '.repeat(6_000)}`,
  ])('is read once, whatever stands between braces that are never closed', (unclosed) => {
    const text = `{{${unclosed}`;

    expect(variableProblems(text)).toEqual([]);
    expect(wordsFrom(text)).toEqual([]);
    expect(render(text, ana)).toBe(truncate(text, LONGEST.text));
  });

  it('asks of a group what a group has', () => {
    const which = (text: string) => variableProblems(text, 'group').map((one) => one.which);

    expect(which('Oi {{name, tudo bem?')).toEqual([['name']]);
    expect(which('Oi {{first_name, tudo bem? {} custom.city}}')).toEqual([]);
  });

  it('never reads a value as a variable', () => {
    expect(render('{{name}}', { name: '{{custom.city}}', custom: ana.custom })).toBe(
      '{{custom.city}}',
    );
    expect(render('{{name}}', { name: '$& $1', custom: {} })).toBe('$& $1');
  });

  it.each([
    ['Oi {{first_name}!', ['first_name']],
    ['Oi {{ first_name|amigo }, tudo bem?', ['first_name']],
    ['Oi {custom.city}}', ['custom.city']],
    ['{{nome} {{nome} {nome|}}', ['nome']],
    ['{{name}} {{custom.city|{} }}', ['custom.city']],
    ['{{{name}}} {{ }} {name} } {{', [], ['']],
    ['{{', []],
    ['Oi {{first_name, tudo bem? Oi {{ name', ['first_name', 'name']],
    ['Oi {{custom.city. {{name|você, {{name}}', ['custom.city', 'name']],
    ['Oi {{first_name, tudo } bem', ['first_name']],
    ['Oi first_name}}, de custom.city|longe }}', ['first_name', 'custom.city']],
    ['{{nome, {{names, {} surname}} custom.OK}} user.name}} name} {name', []],
    ['Use {{ e }} à vontade: {a} {"b":{"c":1}}', [], ['e']],
  ])('finds where a brace is missing in %j: %j', (text, halves, unknown: string[] = []) => {
    const problems = variableProblems(text);
    const found = (rule: string) =>
      problems.filter((one) => one.rule === rule).flatMap(({ which }) => which);

    expect(found('variable_form')).toEqual(halves);
    expect(found('unknown_variable')).toEqual(unknown);
  });

  it('names each variable that nobody has, once', () => {
    const text = '{{name}} {{nome}} {{custom.OK}} {{custom.ok|x}} {{nome}} {{}}';

    expect(variableProblems(text).map(({ which }) => which)).toEqual([
      ['nome'],
      ['custom.OK'],
      [''],
    ]);
  });

  it('is never longer than WhatsApp takes', () => {
    expect(render('{{name}}', { name: 'á'.repeat(5_000), custom: {} })).toHaveLength(4096);
  });
});
