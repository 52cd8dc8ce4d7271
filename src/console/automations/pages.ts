import type { ConsolePage } from '../page.ts';
import { automationsPage } from './list.ts';
import { automationPage } from './one.ts';
import { runPage } from './run.ts';
import { simulationPage } from './simulating.ts';
import { startingPage } from './starting.ts';
import { versionPage } from './versions.ts';
import { newAutomationPage } from './writing.ts';

export const automationPages: readonly ConsolePage[] = [
  automationsPage,
  newAutomationPage,
  automationPage,
  simulationPage,
  startingPage,
  runPage,
  versionPage,
];
