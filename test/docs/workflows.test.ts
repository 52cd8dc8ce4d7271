import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { UPKEEP } from '../../src/temporal/schedules.ts';
import { releasedWorkflows } from '../support/histories.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const page = read('docs/workflows.md');
/** The cells of the rows of its tables, whose first names ids. */
const rows = page
  .split('\n')
  .filter((line) => /^\| `[a-z]+:/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/workflows.md', () => {
  it('names every workflow, and none that is not there', () => {
    const named = rows.map(([, , workflow = '']) => workflow.replaceAll('`', ''));

    expect(named.toSorted()).toEqual(releasedWorkflows().toSorted());
  });

  it('names every Schedule with its workflow and how often it runs', () => {
    const told = UPKEEP.map(({ name, workflow, minute }) => {
      if (typeof minute === 'number') return [`\`upkeep:${name}\``, `\`${workflow}\``];
      const often = minute.every === 1 ? 'each minute' : `every ${minute.every} minutes`;
      return [`\`upkeep:${name}\`, ${often}`, `\`${workflow}\``];
    });

    const named = rows.map(([, id = '', workflow = '']) => [id, workflow]);
    expect(named).toEqual(expect.arrayContaining(told));
    expect(named.filter(([id]) => id?.startsWith('`upkeep:'))).toHaveLength(UPKEEP.length);
  });
});
