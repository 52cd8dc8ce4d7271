import { appPage } from './apps/app.ts';
import { connectionsPage } from './apps/connections.ts';
import { appsPage, newAppPage } from './apps/list.ts';
import { auditFile } from './audit/csv.ts';
import { auditPage } from './audit/page.ts';
import { automationPages } from './automations/pages.ts';
import { campaignPages } from './campaigns/pages.ts';
import { contactPages } from './contacts/pages.ts';
import { formPages } from './forms/pages.ts';
import { homePage } from './home/page.ts';
import { inboxPages } from './inbox/pages.ts';
import { keyPages } from './keys/pages.ts';
import { membersPage } from './members/list.ts';
import { memberPage } from './members/member.ts';
import { teamsPage } from './members/teams.ts';
import { numberPages } from './numbers/pages.ts';
import type { ConsolePage } from './page.ts';
import { pipelinePages } from './pipelines/pages.ts';
import { reminderPages } from './reminders/pages.ts';
import { reportPages } from './reports/pages.ts';
import { segmentPages } from './segments/pages.ts';
import { settingsPage } from './settings/page.ts';
import { phrasesPage } from './settings/phrases.ts';
import { templatePages } from './templates/pages.ts';
import { deliveryPage } from './webhooks/deliveries.ts';
import { endpointPage } from './webhooks/endpoint.ts';
import { endpointsPage } from './webhooks/list.ts';
import { editEndpointPage, newEndpointPage } from './webhooks/writing.ts';

/** Every page of a workspace, in the order of the navigation. */
export const consolePages: readonly ConsolePage[] = [
  homePage,
  ...inboxPages,
  ...contactPages,
  ...templatePages,
  ...segmentPages,
  ...pipelinePages,
  ...formPages,
  ...campaignPages,
  ...reminderPages,
  ...automationPages,
  ...reportPages,
  ...keyPages,
  endpointsPage,
  newEndpointPage,
  endpointPage,
  editEndpointPage,
  deliveryPage,
  appsPage,
  newAppPage,
  appPage,
  connectionsPage,
  ...numberPages,
  membersPage,
  memberPage,
  teamsPage,
  settingsPage,
  phrasesPage,
  auditPage,
  auditFile,
];
