import { describe, expect, it } from '@jest/globals';
import { step } from '../../src/automations/definition/language.ts';
import { trigger } from '../../src/automations/definition/triggers.ts';
import { findIssues, ISSUE_CODES } from '../../src/automations/issues/issues.ts';
import { newAutomation } from '../../src/automations/schema.ts';
import { answerProblems } from '../../src/automations/simulation/answers.ts';
import { simulationBody } from '../../src/automations/simulation/schema.ts';
import { FIELD_NAMES, fieldNamed, OPS } from '../../src/segments/rules.ts';
import { examples, page } from './support/examples.ts';

const typesOf = (union: { options: readonly { shape: { type: { value: string } } }[] }): string[] =>
  union.options.map((option) => option.shape.type.value);

const programs: unknown[] = [...page.matchAll(/```json\n([\s\S]+?)```/g)].map(([, text = '']) =>
  JSON.parse(text),
);

describe('docs/automations.md', () => {
  it('shows one working example of every trigger', () => {
    const shown = examples('type').map((example) => trigger.parse(example).type);

    expect(shown.toSorted()).toEqual(typesOf(trigger).toSorted());
  });

  it('shows one working example of every step', () => {
    const shown = examples('id').map((example) => step.parse(example).type);

    expect(shown.toSorted()).toEqual(typesOf(step).toSorted());
  });

  it('shows a whole automation without an issue', () => {
    const {
      name: _name,
      description: _description,
      ...definition
    } = newAutomation.parse(programs[0]);

    expect(
      findIssues(definition, { has: () => true, window: false, templates: [], passed: false }),
    ).toEqual([]);
  });

  it('names every field of a contact with its operations', () => {
    const words = (cell = ''): string[] => cell.match(/(?<=`)[^` ]+(?=`)/g) ?? [];
    const rows = page.matchAll(/^\| ((?:`[^`]+` )+)\| (?:((?:`\w+` )+)|all of these.*)\|$/gm);
    const shown = [...rows].flatMap(([, fields, ops]) =>
      words(fields).map((field) => [field, words(ops)]),
    );

    const { 'custom.<key>': any, ...named } = Object.fromEntries(shown);
    expect(any).toEqual([]);
    expect(named).toEqual(
      Object.fromEntries(
        FIELD_NAMES.flatMap((name) => {
          const field = fieldNamed(name);
          return field ? [[name, OPS[field.kind]]] : [];
        }),
      ),
    );
  });

  it('shows a simulation that is taken', () => {
    const { answers } = simulationBody.parse(programs[1]);

    expect(programs).toHaveLength(2);
    expect(answerProblems(answers, newAutomation.parse(programs[0]).steps)).toEqual([]);
  });

  it('names every issue', () => {
    const named = [...page.matchAll(/^\| `([a-z_]+)` \| (?:error|warning) \|/gm)].map(
      ([, code]) => code,
    );

    expect(named.toSorted()).toEqual([...ISSUE_CODES].toSorted());
  });
});
