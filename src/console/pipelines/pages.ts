import type { ConsolePage } from '../page.ts';
import { stagesPage } from './arranging.ts';
import { boardPage } from './board.ts';
import { dealPage, dealsPage, newDealPage } from './deals.ts';
import { newPipelinePage, pipelinesPage } from './list.ts';

export const pipelinePages: readonly ConsolePage[] = [
  pipelinesPage,
  newPipelinePage,
  boardPage,
  stagesPage,
  dealsPage,
  newDealPage,
  dealPage,
];
