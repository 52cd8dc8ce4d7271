export { type ClientOptions, createClient } from './client.ts';
export { ApiError, ConnectionFailed, type ErrorDetails } from './errors.ts';
export type { WorkspaceMessaging } from './generated/sdk.gen.ts';
export type * from './generated/types.gen.ts';
export { type Page, paginate } from './pages.ts';
export type { RetryOptions } from './retrying.ts';
export { verifyWebhook, type WebhookEvent, WebhookRefused } from './webhooks.ts';
