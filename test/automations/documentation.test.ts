import { describe, expect, it } from '@jest/globals';
import { step } from '../../src/automations/definition/language.ts';
import { trigger } from '../../src/automations/definition/triggers.ts';
import { findIssues, ISSUE_CODES } from '../../src/automations/issues/issues.ts';
import { newAutomation } from '../../src/automations/schema.ts';
import { examples, page } from './support/examples.ts';

const typesOf = (union: { options: readonly { shape: { type: { value: string } } }[] }): string[] =>
  union.options.map((option) => option.shape.type.value);

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
    const [, text = ''] = /```json\n([\s\S]+?)```/.exec(page) ?? [];
    const {
      name: _name,
      description: _description,
      ...definition
    } = newAutomation.parse(JSON.parse(text));

    expect(
      findIssues(definition, { has: () => true, window: false, templates: [], passed: false }),
    ).toEqual([]);
  });

  it('names every issue', () => {
    const named = [...page.matchAll(/^\| `([a-z_]+)` \| (?:error|warning) \|/gm)].map(
      ([, code]) => code,
    );

    expect(named.toSorted()).toEqual([...ISSUE_CODES].toSorted());
  });
});
