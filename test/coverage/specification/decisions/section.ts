import type { Section } from '../../lines.ts';
import { automationRuns } from './automations.ts';
import { byTheClock } from './by-the-clock.ts';
import { paragraphs0To3 } from './paragraphs-0-to-3.ts';
import { paragraphs4To8 } from './paragraphs-4-to-8.ts';
import { paragraphs9To13 } from './paragraphs-9-to-13.ts';
import { paragraphs14To27 } from './paragraphs-14-to-27.ts';

export const decisions: Section = {
  title: 'Rules of the decisions',
  source: 'Design decisions §0 to §27, what is not said in the tables above',
  lines: [
    ...paragraphs0To3,
    ...paragraphs4To8,
    ...paragraphs9To13,
    ...automationRuns,
    ...byTheClock,
    ...paragraphs14To27,
  ],
};
