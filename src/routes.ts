import { automationRoutes } from './automations/routes.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import { contactImportRoutes } from './contacts/imports/routes.ts';
import { contactDeletion, contactRoutes } from './contacts/routes.ts';
import { conversationRoutes } from './conversations/routes.ts';
import type { Keyring } from './crypto/keyring.ts';
import { formRoutes } from './forms/routes.ts';
import { groupRoutes } from './groups/routes.ts';
import type { Route } from './http/route.ts';
import { mediaRoutes } from './media/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { numberRoutes } from './numbers/routes.ts';
import { pipelineRoutes } from './pipelines/routes.ts';
import { cancelRemindersOf } from './reminders/cancelling.ts';
import { reminderRoutes } from './reminders/routes.ts';
import { keepFiguresOf } from './reports/deleted-contacts.ts';
import { reportRoutes } from './reports/routes.ts';
import { segmentRoutes } from './segments/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export interface RouteParts {
  readonly keyring: Keyring;
  readonly trustedOrigins: readonly string[];
  readonly baseUrl: string;
  /** Whether an AI is configured. */
  readonly ai?: boolean;
  /** What a workspace may upload within 24 hours, in MB. */
  readonly uploadMbADay?: number;
}

/** Every route of the API. The app, the OpenAPI document and the tenant and scope tests all read this list. */
export const createRoutes = ({
  keyring,
  trustedOrigins,
  baseUrl,
  ai = false,
  uploadMbADay = 10_000,
}: RouteParts): readonly Route[] => [
  ...automationRoutes({ trustedOrigins, ai }),
  ...campaignRoutes,
  ...contactImportRoutes,
  ...contactRoutes,
  contactDeletion(cancelRemindersOf, keepFiguresOf),
  ...conversationRoutes,
  ...memberRoutes,
  ...formRoutes({ keyring, baseUrl }),
  ...groupRoutes,
  ...mediaRoutes({ uploadMbADay }),
  ...numberRoutes,
  ...pipelineRoutes,
  ...reminderRoutes,
  ...reportRoutes,
  ...segmentRoutes,
  ...templateRoutes,
  ...webhookRoutes({ keyring, trustedOrigins }),
];
