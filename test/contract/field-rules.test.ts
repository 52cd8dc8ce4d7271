import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { FIELD_RULES } from '../../src/http/error-guide/field-rules.ts';

const SOURCES = path.join(import.meta.dirname, '../../src');
/** What these say is no answer of the API. */
const ELSEWHERE =
  /^(?:cli|docs|agent-tools|console|embedded|people|simulator|campaigns\/proof\/check)/;
const RULE = /\brule: '([a-z_]+)'/g;
/** The helpers of schemas. */
const HELPED = /\b(?:refuse|report)\(ctx, (?:path, |\[[^\]]*\], )?'([a-z_]+)'/g;
/** Those of single files: the rule, and a sentence. */
const REFUSED = /\b(?:refuse|refusal)\(\s*'([a-z_]+)'(?:\)|,\s*[`'][A-Z])/g;

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ts$/.test(file) && !ELSEWHERE.test(file) && !file.endsWith('field-rules.ts'))
  .map((file) => readFileSync(path.join(SOURCES, file), 'utf8'));

const named = new Set(
  sources.flatMap((text) =>
    [RULE, HELPED, REFUSED].flatMap((how) => [...text.matchAll(how)].map(([, rule = '']) => rule)),
  ),
);

it('the list of rules has every rule that a service can name, and no other', () => {
  expect(named.size).toBeGreaterThan(40);
  expect([...named]).toEqual(
    expect.arrayContaining(['save_to_type', 'stage_order', 'format', 'max_rows']),
  );
  expect([...named].filter((rule) => !Object.hasOwn(FIELD_RULES, rule))).toEqual([]);
  const said = (rule: string) => sources.some((text) => text.includes(`'${rule}'`));
  expect(Object.keys(FIELD_RULES).filter((rule) => !said(rule))).toEqual([]);
});
