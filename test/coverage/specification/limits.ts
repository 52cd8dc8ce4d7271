import { by, line, type Section } from '../lines.ts';

const edge = by('http/limits', '%s takes a %s of %i and of %i, and nothing longer');

export const limits: Section = {
  title: 'Limits',
  source: 'Specification, Limits: every row that applies to what exists',
  lines: [
    line(
      'Requests per API key: 600 per minute, each key',
      by(
        'security/rate-limit',
        'lets exactly 600 requests through in a minute, over two processes',
        'is each key’s own',
      ),
      by('security/rate-window', 'leave none %i seconds later', 'are forgotten %i seconds later'),
    ),
    line(
      'Requests per OAuth connection: 600 per minute, each connection',
      by('security/members', 'has 600 requests a minute for each connection of its own'),
    ),
    line(
      'Page size `limit`: 1 to 100, default 50',
      by('http/every-list', 'reads a limit of digits from 1 to 100, and no other spelling'),
      by(
        'http/limits',
        'has 50 records where no limit is given, and 100 at most',
        'of %s has 50 records by default, as the document says',
      ),
    ),
    line(
      'Idempotency-Key: length up to 200; letters, digits, `-`, `_`',
      by(
        'security/idempotency',
        'takes a key of 200 letters, digits, dashes and underscores',
        'is refused before anything happens when the key is %p',
      ),
    ),
    line(
      'Idempotency-Key: replay window 24 hours',
      by('security/idempotency', 'is forgotten 24 hours after the first answer, and not earlier'),
      by('http/old-answers', 'are deleted after 24 hours, and not earlier'),
    ),
    line('Form title: 1 to 120 characters', edge),
    line('Form fields: 1 to 20', edge),
    line('Number name: 1 to 60 characters', edge),
    line('Number team_ids: 1 to 100 items', edge),
    line('Campaign name: 1 to 80 characters', edge),
    line('Campaign text: 1 to 4096 characters', edge),
    line('Campaign contact_ids: up to 1000', edge),
    line(
      'Campaign group_ids: up to 100',
      by('http/limits', 'POST /v1/campaigns takes 1 to 100 group_ids, and no more'),
    ),
    line('Contact name: 1 to 200 characters', edge),
    line('Contact phone: up to 40 characters', edge),
    line(
      'Id-like filters and body ids: 1 to 100 characters',
      edge,
      by('http/limits', 'takes a %s of 1 to 100 characters'),
    ),
    line(
      'Webhook endpoints per workspace: 2 (Essencial), 10 (Profissional), 30 (Escala)',
      by('webhooks/lanes/plan', 'under the plan %s are %i and no more'),
    ),
    line(
      'Webhook reply time: 10 seconds',
      by('webhooks/receivers/reply-time', 'has 10 seconds to answer'),
    ),
    line(
      'Webhook attempts: 12 within 24 hours',
      by(
        'webhooks/time/schedule',
        'is attempted 12 times at doubling intervals and then failed',
        'expires without a late attempt when the 24 hours passed meanwhile',
      ),
    ),
    line(
      'Webhook timestamp tolerance: 5 minutes',
      by(
        'clients/verify-webhook',
        'refuses a delivery that is replayed after five minutes, or comes from the future',
      ),
      by(
        'webhooks/signing/signature',
        'is refused by a receiver when it is 5 minutes and 1 second old',
      ),
    ),
    line(
      'The plans: numbers, seats, contacts, recipients of a month, automations, reminders, pace (decisions §18)',
      by('webhooks/lanes/plan', 'have the limits of the table'),
    ),
    line(
      'Contacts of the plan',
      by('contacts/creating', 'stops at the plan’s limit, however many calls come at once'),
      by(
        'contacts/imports-api',
        'takes as many people as the plan allows, and names the quota on the others',
      ),
    ),
    line('Numbers of the plan', by('numbers/numbers', 'stops at the plan’s limit')),
    line(
      'Seats of the plan',
      by('members/members', 'takes a seat of the plan, except for a Viewer'),
      by('members/changing', 'takes a seat when a Viewer becomes more, and only a free one'),
    ),
    line(
      'Campaign recipients of the plan’s month',
      by('campaigns/steps', 'end at the plan’s recipients of the month'),
      by(
        'campaigns/audience/segments',
        'takes of the plan’s month whoever it reaches, and begins with none too many',
      ),
    ),
    line(
      'Active automations of the plan',
      by('automations/activation', 'keeps to the plan, also when several are activated at once'),
      by('automations/deactivation', 'frees a place of the plan'),
    ),
    line(
      'Active reminders of the plan',
      by(
        'reminders/creating',
        'are never more than it allows, also when many ask at once; one that ends makes room',
      ),
    ),
    line(
      'Pace of the plan',
      by('campaigns/creating', 'refuses a pace above the plan’s, and says which are allowed'),
    ),
    line(
      'A JSON body: 1 MiB',
      by('security/http-json', 'is read up to 1 MiB and refused one byte later'),
    ),
    line(
      'Headers and address: 16 KiB; headers in 5 seconds, a body in 10',
      by(
        'security/http-wire',
        'is too large: %s',
        'has 5 seconds for its headers and 10 for its body',
      ),
    ),
  ],
};
