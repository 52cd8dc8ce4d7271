import { by, type Line, line } from '../../lines.ts';

const received = (...tests: readonly string[]) => by('webhooks/events/messages-received', ...tests);
const sent = (...tests: readonly string[]) => by('webhooks/events/messages-sent', ...tests);
const elsewhere = (...tests: readonly string[]) =>
  by('webhooks/events/campaigns-and-handset', ...tests);
const closed = (...tests: readonly string[]) =>
  by('webhooks/events/conversations-closed', ...tests);
const created = (...tests: readonly string[]) => by('webhooks/events/contacts-created', ...tests);
const moved = (...tests: readonly string[]) => by('webhooks/events/stages-changed', ...tests);
const failed = (...tests: readonly string[]) => by('webhooks/events/automations-failed', ...tests);
const catalogue = (...tests: readonly string[]) => by('webhooks/events/catalogue', ...tests);
const bytes = (...tests: readonly string[]) => by('webhooks/events/bytes', ...tests);

/** Each event type at each place that the specification names, and its data. */
export const events: readonly Line[] = [
  line(
    'Six event types, each with its data and no more',
    catalogue(
      'has the six types of the specification, in its order',
      'has the data that is written down for %s, and no more',
    ),
  ),
  line(
    '`message.received`: a message arrives from a contact',
    received(
      'tells of a text, its contact and its number, once, however often WhatsApp repeats it',
      'tells in words what is no text: %s',
      'is told of a blocked contact and of one who opts out, too',
    ),
  ),
  line(
    '`message.received`: not from a group',
    received('is never told of what is said in a group, nor of a notice by WhatsApp'),
  ),
  line(
    '`message.sent`: from a person, the API, an automation, a reminder or the service',
    sent(
      'tells of what a key and a member send, once for a replayed request',
      'names the source %s',
      'tells of the confirmation that the service sends to who opts out',
    ),
  ),
  line(
    '`message.sent`: from a campaign, and of what was typed on the handset',
    elsewhere(
      'tells of each person who got it, and of none who did not',
      'tells of what somebody typed there, at the moment it was written, and once',
    ),
  ),
  line(
    '§16 `message.sent`: once, when it first reaches `sent` or higher, also later, from `unconfirmed`',
    sent(
      'is told when an unconfirmed one turns out to be %s, with its source, and once',
      'is told once of one whose answer was lost, when WhatsApp reports it',
      'is not told again when it is delivered and read, nor when a loss is healed',
    ),
  ),
  line(
    '§16 `message.sent`: never for a group message, never for `failed`',
    sent(
      'is never told of a message to a group, also when it is read later',
      'is never told of what is refused, nor of what is lost before it was sent',
    ),
  ),
  line(
    '`conversation.closed`: closed in the inbox or by an automation; §16 what was said in it and by whom it was closed',
    closed(
      'tells when it was open, what was said in it and how long the person waited',
      'counts each time it was open by itself',
      'names the member who closes it, and whose it was',
      'names %s',
    ),
  ),
  line(
    '`contact.created`: by hand, and by the API',
    created(
      'is told of one that a person makes by hand',
      'is told of one that the API makes, with what it holds, once for a replayed request',
      'is told of whom a message is sent to by a phone that nobody had',
    ),
  ),
  line(
    '`contact.created`: by a form, an import, a first message or an automation',
    created(
      'is told of who fills a form in for the first time',
      'is told of each new person of an imported file, and of nobody in the same file again',
      'is told of who writes for the first time, also when the phone is hidden',
      'names the automation that makes one',
    ),
  ),
  line(
    '`stage.changed`: a deal changes stage, by a person or an automation',
    moved(
      'tells of each move by a call or a member, of won, of lost and of open again',
      'names the automation that makes a deal, or moves one',
      'tells of a newcomer who is placed by a first message, by the service itself',
      'tells of a deal that begins, from nowhere',
      'is not told of a deal that stays, of another reason, of a refused move or of a replayed one',
    ),
  ),
  line(
    '`automation.failed`: an automation run ends in failure',
    failed(
      'ends a run that is %s, and its step, and tells why',
      'is told once, however many fail the run at once',
      'changes and tells nothing of a run that is %s, nor of one that never was',
    ),
  ),
  line(
    '§16 A person who hides the phone: `phone` is "", `wa_user_id` beside it; media beside the caption',
    received(
      'knows a person who hides the phone by the id of WhatsApp, and by the phone once it is shown',
      'names the file of a message: %s',
    ),
  ),
  line(
    '§16 The fact is a row of the transaction of the change',
    received(
      'is kept if and only if the message is: a transaction that cannot commit leaves neither',
    ),
    sent('is kept if and only if it is written down as sent: by the lane, and by a status webhook'),
    elsewhere('is kept if and only if the message is written down as sent'),
    closed('is kept if and only if the change is'),
    created('is kept if and only if the contact is'),
    moved('is kept if and only if the change is'),
    failed('is kept if and only if the change is'),
  ),
  line(
    'The same bytes at every attempt and resend, as they were recorded',
    bytes(
      'are those that were recorded, at every attempt and resend, whatever a person writes',
      'are the same when a delivery is sent again',
      'hold nobody up when WhatsApp sends what no text may have: %s',
    ),
  ),
];
