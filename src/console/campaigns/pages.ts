import type { ConsolePage } from '../page.ts';
import { recipientsFile } from './csv.ts';
import { campaignsPage } from './list.ts';
import { campaignPage } from './one.ts';
import { proofFile } from './proof.ts';
import { previewPage, recipientsPage } from './recipients.ts';
import { editCampaignPage, newCampaignPage } from './writing.ts';

export const campaignPages: readonly ConsolePage[] = [
  campaignsPage,
  newCampaignPage,
  campaignPage,
  editCampaignPage,
  previewPage,
  recipientsPage,
  recipientsFile,
  proofFile,
];
