import { by, line, type Section } from '../lines.ts';

const steps = by('campaigns/steps', '%s from %s goes as the table says');

export const states: Section = {
  title: 'States and transitions of the specification',
  source: 'Specification, States and transitions: every row',
  lines: [
    line(
      'Reminder: `active`, `done`, `cancelled`',
      by(
        'contract/records',
        '%s has the specification’s fields first, each of its type, and every field is always there',
      ),
    ),
    line(
      'Reminder, active, DELETE: cancelled, answers the record',
      by(
        'reminders/changing',
        'answers the record, cancelled, and keeps it and its runs',
        'happens once, also when two ask at the same moment',
      ),
    ),
    line(
      'Reminder, done or cancelled, DELETE: refused',
      by('reminders/changing', 'refuses one that is %s'),
    ),
    line(
      'Campaign, created by a valid body: draft, never sends',
      by(
        'campaigns/creating',
        'answers 201 with a draft, first in the specification’s words, and sets nothing in motion',
      ),
    ),
    line(
      'Campaign, draft, send: sends now to all recipients for real',
      steps,
      by('campaigns/workflow', 'freezes, sends to everybody once and ends'),
    ),
    line(
      'Conversation, closed, reopen: open, answers the conversation',
      by('conversations/closing', 'reopens what is closed, and refuses what is open'),
    ),
    line(
      'Conversation, open, closed in the inbox: closed, event `conversation.closed`',
      by(
        'conversations/closing',
        'closes once, tells the customer how it went, and writes the log',
      ),
    ),
    line(
      'Conversation, open or closed, transfer: the status is unchanged; assigns the team and optionally the member',
      by(
        'conversations/transfer',
        'sets the team and clears the member, keeps the status, and appends a line',
      ),
      by('conversations/transfer', 'leaves a closed conversation closed'),
    ),
    line(
      'Automation, draft, activate: active, publishes the draft and turns it on',
      by('automations/activation', 'publishes a draft as version 1 and turns it on'),
    ),
    line(
      'Automation, active, deactivate with `finish`: inactive, runs in progress finish',
      by('automations/deactivation', 'turns it off and lets runs in progress finish'),
    ),
    line(
      'Automation, active, deactivate with `cancel`: inactive, runs in progress are cancelled',
      by(
        'automations/runs',
        'ends the runs in progress of this automation alone, and no run that has ended',
      ),
    ),
    line(
      'Number: the seven states; the edit never changes the connection',
      by(
        'contract/records',
        '%s has the specification’s fields first, each of its type, and every field is always there',
      ),
      by('numbers/changing', 'never touches the connection'),
    ),
    line(
      'API key, created: active, the secret shown once',
      by(
        'api-keys/api-keys',
        'opens its workspace, and is kept as a hash and its first twelve characters only',
      ),
      by('security/key-traces', 'leaves no trace of itself: not in any table, nor in any log'),
    ),
    line(
      'API key, expiry reached: expired, stops authenticating',
      by('security/api-key', 'ends at its expiry, by the database’s clock'),
      by('api-keys/api-keys', 'the life of a key › is %s'),
    ),
    line(
      'API key, revoked: immediate, irreversible; callers get 401',
      by(
        'security/api-key',
        'is never accepted again once revoked, in any process, though requests are in flight',
      ),
      by('api-keys/api-keys', 'stops at once when it is revoked, and can be revoked only once'),
    ),
    line(
      'The key list marks a key as expiring soon during its last 30 days',
      by('api-keys/api-keys', 'the life of a key › is %s'),
    ),
    line(
      'Webhook delivery, any 2xx within 10 s: succeeded, the body ignored',
      by(
        'webhooks/lanes/first-attempts',
        'carries the event signed, so that the public verifier accepts it',
      ),
      by('webhooks/receivers/reply-time', 'has 10 seconds to answer'),
      by('webhooks/receivers/reply-time', 'of %i is a success'),
      by('net/misbehaving', 'is a success: %s'),
    ),
    line(
      'Webhook delivery, no response, non-2xx or redirect: retried, backoff from 30 s, doubling',
      by(
        'webhooks/lanes/first-attempts',
        'that failed is kept as retrying, with the command that starts its workflow',
      ),
      by('webhooks/receivers/reply-time', 'of %i is a failure'),
      by('webhooks/rules', 'doubles from 30 seconds, 12 attempts over 17 h 3.5 min'),
    ),
    line(
      'Webhook delivery, 12 attempts or 24 h passed: failed',
      by(
        'webhooks/time/schedule',
        'is attempted 12 times at doubling intervals and then failed',
        'expires without a late attempt when the 24 hours passed meanwhile',
      ),
    ),
    line(
      'Webhook delivery, the address is private or DNS fails: blocked, never retried',
      by(
        'security/ssrf-connect',
        'is blocked before any connection: %s',
        'a name that gives no address › is blocked when %s',
      ),
      by(
        'webhooks/receivers/private-addresses',
        'is blocked at its first attempt, reaches nobody, and is never retried',
      ),
    ),
    line(
      'Webhook delivery, endpoint paused: held, the events are stored',
      by('relay/events', 'holds what comes while the endpoint is paused'),
      by(
        'webhooks/endpoints/pausing',
        'shows all that is not finished as held from that moment on, and what is finished as it is',
      ),
    ),
    line(
      'Webhook delivery, held, endpoint active again: sent',
      by(
        'webhooks/time/drains',
        'holds everything while its endpoint is paused, and ends; another one brings it all once resumed',
      ),
      by(
        'webhooks/lanes/backlog',
        'gets nothing, and after resuming everything once, the oldest first',
      ),
    ),
    line(
      'The endpoint itself is never disabled by failures',
      by(
        'webhooks/lanes/failing-endpoints',
        'leaves the lane: what is new waits in its backlog, and one command has that drained',
        'is well again with the first probe that is delivered',
      ),
    ),
  ],
};
