import type { LaterLine } from '../lines.ts';

const oauth = 'the OAuth 2.1 authorization server';
const automations = 'the interpreter of automations';
const console = 'the console';

export const notBuiltYet: readonly LaterLine[] = [
  {
    line: 'Authorization code with PKCE, consent, resource indicators, metadata, token, registration, revocation, introspection, userinfo, public keys',
    subject: oauth,
  },
  {
    line: 'Registering an app: name, redirect URIs, scopes, the secret shown once, its rotation within 10 minutes of signing in',
    subject: oauth,
  },
  {
    line: 'OAuth app verification: unverified, in review, verified; an app that is not verified connects to its own workspace and 10 more',
    subject: oauth,
  },
  { line: 'OAuth redirect URIs: 1 to 10 per app', subject: oauth },
  {
    line: 'Access tokens of 10 minutes, refresh tokens of 30 days; disconnecting an app ends them',
    subject: oauth,
  },
  { line: 'An OAuth token whose app was disconnected: 401', subject: oauth },
  { line: 'Secret rotation overlap of 24 hours, of apps', subject: oauth },
  {
    line: 'Runs of automations: their steps, waits, handover, loop guard, error codes',
    subject: automations,
  },
  { line: '`run_id` of a submission', subject: automations },
  {
    line: 'API keys and webhook endpoints in the developer settings; the audit log as a page and as CSV',
    subject: console,
  },
  { line: 'The consent screen marks `campaigns:send` as high risk', subject: oauth },
  { line: 'The agent tool server at `/api/mcp`', subject: 'the agent tool server' },
  { line: 'Snoozing a conversation', subject: console },
  {
    line: 'Later event types: `message.failed`, `message.delivered`, `campaign.finished` and the others of §16',
    subject: 'additions to the webhooks',
  },
  {
    line: '`Deprecation` and `Sunset` headers, when there is a second version',
    subject: 'a second version of the API',
  },
];
