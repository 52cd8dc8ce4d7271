import { by, type Line, line } from '../../lines.ts';

/** From §14 on. */
export const paragraphs14To27: readonly Line[] = [
  line(
    '§14 Idempotency: key space of a credential, fingerprint of method, path, query and canonical body',
    by(
      'security/idempotency',
      'belongs to one credential of one workspace',
      'is the same request with its keys in another order and other white space',
    ),
  ),
  line(
    '§14 Idempotency: refusals are repeated too; 400, 401, 5xx are not',
    by(
      'security/idempotency',
      'repeats a refusal too: the effect was undone, the answer stays',
      'runs again after an answer that settles nothing: 400, 401, 429, 5xx',
      'tells whoever sent something invalid that the correction needs a new key',
    ),
  ),
  line(
    '§14 Idempotency: a secret shown once is replayed, and stored encrypted',
    by(
      'security/idempotency',
      'repeats a secret that was shown once, and keeps no readable copy of it',
    ),
    by(
      'webhooks/endpoints/creating',
      'is repeated with the same secret by its Idempotency-Key, and stored encrypted',
    ),
  ),
  line(
    '§14 Idempotency: the effect and the answer are one transaction',
    by(
      'chaos/api-kills',
      'leaves a contact that a retry with the same key finds, and whose webhook is sent once',
      'has done nothing, and the same key does it afterwards',
    ),
  ),
  line(
    '§14 Rate limit: `RateLimit`, `RateLimit-Policy`, `Retry-After`',
    by(
      'security/rate-limit',
      'says in every answer what is left, and when more will be',
      'is counted down by a repeated answer as by a first one',
      'counts refused requests too, but none that no key stands behind',
    ),
  ),
  line(
    '§20 Range: whole days of the zone, both ends, before it one as long; today up to the same time',
    by(
      'reports/period',
      'is counted in whole days of the zone, both ends included, before one as long',
      'compares today with yesterday up to the same time of the clock',
      'takes 366 days, as a leap year has',
    ),
  ),
  line(
    '§20 The figures of both reports, counted live and from the days written down',
    by(
      'reports/reports',
      'the automation report counts conversations, answers, handovers and what the team was spared',
      'the numbers report counts what reached the point of sending, what arrived and what was lost',
    ),
    by(
      'reports/figures',
      'is the median that was measured, once there are 50 samples, and a minute and a half before',
      'says since when it is not connected, and null while it is',
    ),
    by(
      'reports/upkeep',
      'writes down the days that are over, of every workspace that has messages',
    ),
  ),
  line(
    '§20 Questions: grouped by normalised text, personal data masked',
    by('reports/questions', '%j is counted as %j', 'never shows who asked: %j'),
  ),
  line(
    '§20 Reports respect visibility',
    by(
      'reports/visibility',
      'show a member of a team what the team sees, and one with nothing assigned nothing',
    ),
  ),
  line(
    '§21 The words, the whole message only, the button',
    by(
      'inbound/opting-out',
      'opts the person out at once: %p',
      'a message that asks for no more messages › is no other message: %p',
      'is a quick reply whose payload says so, whatever its text',
      'is the button of a template that says %p',
    ),
  ),
  line(
    '§21 One confirmation in 24 hours',
    by(
      'inbound/opt-out-confirmation',
      'is answered once in 24 hours, in the language of the workspace, and is still an event',
    ),
  ),
  line(
    '§21 WhatsApp’s own stop, and 131050',
    by(
      'inbound/whatsapp-preferences',
      'opts a person out, says nothing to them, and takes back what it did',
    ),
    by('inbound/refusals', 'opts its person out whose switch it tells of (131050)'),
  ),
  line(
    '§21 Survives deletion, import and merge; back in by START',
    by(
      'contacts/deleting',
      'never forgets that the person wants no messages, whoever brings them in again',
    ),
    by(
      'contacts/imports-api',
      'never clears an opt-out, and brings nobody back under a new record',
    ),
    by('contacts/merging', 'is opted out when either was, under both phones'),
    by(
      'inbound/changed-identities',
      'is opted out there, by the same words, whether they show the phone or not',
    ),
    by('inbound/opting-out', 'takes the opt-out back: %p'),
  ),
  line(
    '§22 24 hours after the last message, free text stops 2 minutes before',
    by('conversations/merge', 'is over 2 minutes before its end, and for a person who never wrote'),
    by(
      'conversations/conversations-api',
      'allows free text only inside the window of a number that has one',
    ),
  ),
  line(
    '§22 Each provider code and what follows',
    by(
      'gateway/classify',
      '%d refuses for good: %s',
      '%d with status %d refuses for now: the %s waits',
      '%d halts: %s',
    ),
    by(
      'campaigns/batches/refusals',
      'for good (%s) is lost once, as %s, and the campaign goes on',
      'for now is sent later, under the same correlation',
    ),
  ),
  line(
    '§23 Groups: by `number_id` and `active`; one send in 6 s; a group that was left takes nothing',
    by(
      'conversations/lane-groups',
      'leave one in six seconds of a number, and are no event',
      'are lost when we left the group meanwhile',
    ),
    by(
      'groups/groups',
      'are listed with what the specification names, newest first, by number and by being in them',
      'that we left take nothing',
    ),
    by(
      'campaigns/audience/groups',
      'sends one message to each group the number is in, six seconds apart, and none as an event',
    ),
  ),
  line(
    '§27 Inbound: signed over the raw bytes, stored once, answered, then processed',
    by(
      'inbound/receiving',
      'is stored before it is answered, once for all its repetitions',
      'changes nothing, and is counted, without the right signature over its very bytes',
      'returns the challenge as text to a caller that knows the token',
    ),
    by(
      'inbound/processing',
      'leaves everything due when it dies before its own commit, and repeats without a trace',
    ),
  ),
  line(
    '§27 Sends: the wire, and what each answer means',
    by(
      'gateway/cloud-api',
      'sends the text to the person, with our correlation',
      'tells what a refusal of %s means',
    ),
  ),
];
