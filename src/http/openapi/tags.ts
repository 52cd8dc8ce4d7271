/** What each tag groups. A route's tag without an entry here fails a test. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Contacts:
    'The people a workspace writes to, known by phone, e-mail or WhatsApp’s own id. Campaigns, automations, API keys and apps do not reach contacts who opted out; a person may still answer them in the console, and transactional reminders go out.',
  Conversations:
    'One conversation for each person or group on each number: who answers it, and whether it is open.',
  Messages:
    'Messages in conversations. A message is queued when it is accepted; its status moves forward as WhatsApp reports.',
  Media: 'Files, uploaded once and sent in messages.',
  Groups: 'WhatsApp groups that a number takes part in.',
  Numbers: 'The WhatsApp numbers of the workspace. Whoever operates the service connects them.',
  Pipelines: 'Pipelines, their stages, and the deals that move through them.',
  Reminders: 'Messages at a time, once or repeated. Each reminder is a durable workflow.',
  Automations: 'Flows that run by themselves; each run can be looked at and cancelled.',
  Forms: 'Public forms; a submission finds or creates the contact.',
  Segments: 'Groups of contacts by rules, always as they are now.',
  Campaigns:
    'One text to many people. A draft never sends; sending, pausing and resuming are separate calls, and each person gets it at most once.',
  'Members and teams': 'The people who work in the workspace, and the teams they are in.',
  Webhooks: 'Endpoints of yours that receive signed events, and the events themselves.',
  Reports:
    'Figures over whole days in the time zone of the workspace, compared with the period before.',
};

export const ABOUT = `Business messaging over WhatsApp numbers: contacts, conversations, campaigns, reminders, automations and forms of one workspace.

**Authentication.** Send \`Authorization: Bearer …\` with every call: an API key (\`sk_live_…\`) of the workspace, or the access token of an app that acts for a person (OAuth 2.1). Either works within one workspace and can do what its scopes allow; an app can do no more than its person. Each operation names the scope and the permission it needs.

**Limits.** 600 requests per key, or connection of an app, in any 60 seconds. \`RateLimit\` says how many are left; a refusal (429) carries \`Retry-After\`.

**Repeating safely.** Every call that changes something accepts an \`Idempotency-Key\`: for 24 hours, the same key from the same API key, or connection of an app, gets the first answer again. A message’s \`client_ref\` does this for 30 days, whoever repeats it.

**Pages.** Lists return \`{data, next_cursor}\`, newest first unless the operation says otherwise. Pass \`next_cursor\` as \`cursor\` until it is null; nothing is repeated or skipped, even if records are added meanwhile, unless the list is sorted by what changes.

**Errors.** Every refusal is \`{error: {code, message, details, request_id, doc_url}}\`. Branch on \`code\`; \`doc_url\` explains it. With \`Accept: application/problem+json\` it is an RFC 9457 document instead.

**Changes.** New fields, new enum values and new event types may be added at any time: ignore what you do not know. A breaking change would get a new path, with \`Deprecation\` and \`Sunset\` headers at least 180 days before.

**Empty values.** Every key is always present, unless it is marked optional, as some of events and errors are. Missing text is \`""\` unless the field is marked nullable.`;
