import type { resendDelivery } from '../../webhooks/deliveries/resending.ts';
import type { getDelivery } from '../../webhooks/deliveries/service.ts';
import type { rotateSecret } from '../../webhooks/rotating.ts';
import type { failingEndpoints, getEndpoint } from '../../webhooks/service.ts';

/** What the operations of webhooks answer. */
export type EndpointView = Awaited<ReturnType<typeof getEndpoint>>;
export type FailingView = Awaited<ReturnType<typeof failingEndpoints>>[number];
export type DeliveryView = Awaited<ReturnType<typeof resendDelivery>>;
export type DeliveryDetailView = Awaited<ReturnType<typeof getDelivery>>;
export type RotatedView = Awaited<ReturnType<typeof rotateSecret>>;
