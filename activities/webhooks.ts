import { activityInfo } from '@temporalio/activity';
import { TEMPORAL_OPERATOR } from '../src/access/actor.ts';
import { createUnderWay } from '../src/concurrency.ts';
import type { Context } from '../src/context.ts';
import {
  drainBacklog,
  type EndpointIds,
  holdBacklog,
} from '../src/webhooks/lanes/backlog/backlog.ts';
import type { DrainStep } from '../src/webhooks/lanes/backlog/drain-step.ts';
import {
  type DeliveryIds,
  RETRIES_AT_ONCE,
  type RetryParts,
  type RetryStep,
} from '../src/webhooks/lanes/retries/parts.ts';
import { cancelDelivery, retryDelivery } from '../src/webhooks/lanes/retries/retries.ts';
import { createSigningKeys } from '../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../src/webhooks/signing/sender.ts';
import type { Deps } from './deps.ts';

const POISON_TRIES = 3;

/** What `delivery:…` and `endpoint:…` ask for. Each is fenced by the row: repeated, it finds nothing to do. */
export function webhookActivities(deps: Deps) {
  const parts: RetryParts = {
    database: deps.database,
    clock: deps.clock,
    sender: createWebhookSender(deps.sender, createSigningKeys(deps.keyring), deps.onPostponed),
    backoff: deps.backoff ?? { scale: 1, jitter: Math.random },
    underWay: createUnderWay(RETRIES_AT_ONCE),
    hear: deps.hear,
  };
  const asOperator = (organizationId: string): Context =>
    deps.contextFor(organizationId, TEMPORAL_OPERATOR);
  return {
    retryWebhook: (ids: DeliveryIds, { atOnce }: { atOnce: boolean }): Promise<RetryStep> =>
      retryDelivery(parts, ids, { atOnce, lastTry: activityInfo().attempt >= POISON_TRIES }),
    cancelWebhook: ({ organizationId, deliveryId }: DeliveryIds): Promise<void> =>
      cancelDelivery(asOperator(organizationId), deliveryId),
    drainBacklog: (ids: EndpointIds, freshAt?: string): Promise<DrainStep> =>
      drainBacklog(deps, ids, freshAt),
    holdBacklog: ({ organizationId, endpointId }: EndpointIds): Promise<void> =>
      holdBacklog(asOperator(organizationId), endpointId),
  };
}
