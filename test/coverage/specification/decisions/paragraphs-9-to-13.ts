import { by, type Line, line } from '../../lines.ts';

const segments = (test: string) => by('segments/segments-api', test);
const next = by('reminders/schedule', 'the next run › %s');

/** §9 to §13. */
export const paragraphs9To13: readonly Line[] = [
  line(
    '§9 Triggers, steps, conditions and limits of the language',
    by('automations/language', 'refuses %s, and says where', 'takes limits exactly'),
    by(
      'automations/documentation',
      'shows one working example of every trigger',
      'shows one working example of every step',
    ),
    by('automations/triggers', 'are refused for %s, with the place'),
  ),
  line(
    '§9 `issues`',
    by('automations/documentation', 'names every issue'),
    by(
      'automations/issues',
      'name each way out that leads nowhere',
      'name the first step of a loop that never waits',
      'name every record that is not there, with its place',
    ),
    by('automations/graphs', 'is told to loop exactly when some walk comes back without a wait'),
  ),
  line(
    '§10 Which fields a target and a repeat need, and which they refuse',
    by(
      'reminders/creating',
      'refuses a wrong %s by the rule %s: %j',
      'runs %j first at %s',
      'keeps Sunday as 7, however it was written',
    ),
  ),
  line('§10 Month end, leap days', next),
  line(
    '§10 Clock changes',
    by(
      'reminders/schedule',
      'a time that is skipped moves forward by the gap',
      'of a time that comes twice only the first counts',
    ),
  ),
  line(
    '§10 The next run is computed from the rule',
    by(
      'reminders/schedule-property',
      'runs next on the first day that a search day by day finds, on its clock',
      'never goes back, never stands still, and has one run a day at most',
    ),
  ),
  line(
    '§10 Birthdays: the next day on which somebody has one, 29 February, nobody opted out',
    by(
      'reminders/birthdays',
      'runs next on the next birthday that somebody has, whatever the year of birth',
      'keeps 29 February on 28 in common years',
      'passes over people who opted out, unless it is transactional, and over blocked ones',
      'keeps to the people of a segment when it has one',
    ),
  ),
  line(
    '§10 400 days of each repeat in 12 zones',
    by(
      'reminders/four-hundred-days',
      '$repeat at $time in $zone are the runs that another calendar finds',
    ),
    by(
      'reminders/walked',
      'each day and each working day of a month get one message at the time of the zone',
      '400 days of weeks, months, a leap day and one day are exactly their runs',
    ),
  ),
  line(
    '§10 The five targets at a run; who is left out, and why',
    by(
      'reminders/targets',
      'fills in the variables for a contact',
      'goes into the conversation of a group',
      'makes a contact of a phone at the first send, and the same one gets the next',
      'asks who is in at each run, and says why the others got nothing',
      'writes to whoever has one on the day, also to those who came after it was planned',
      'never congratulates anybody twice in a year, whatever becomes of its time',
    ),
  ),
  line(
    '§10 `done` after its run or its last day; `message.sent` of a reminder',
    by(
      'reminders/running',
      'goes out once at its moment, and is done',
      'ends after its last day',
      'of `once` is missed and done',
    ),
  ),
  line(
    '§10 Missed: late within 60 minutes, then left out, and never two to catch up',
    by(
      'reminders/running',
      'waits for its number and goes out late within the hour',
      'is missed after an hour, and only the next one goes out',
    ),
    by(
      'reminders/once-each',
      'after three days of absence is one at most: the others are written down as missed',
    ),
  ),
  line(
    '§10 Once each period for each recipient; a run record with its outcomes',
    by(
      'reminders/once-each',
      'that many workers look at, and that dies after each step, queues everybody once',
      'counts what became of each message, in words of its own',
    ),
    by(
      'chaos/reminder-kills',
      'whose worker is killed when WhatsApp has accepted some: nobody gets it twice, and it ends',
    ),
  ),
  line(
    '§10 Cancelled in a run, by the API or an operator: those not sent to yet are left out',
    by(
      'reminders/running',
      'withdraws what has not left, and the run says how many',
      'by an operator of Temporal cancels the reminder, and its rows are right',
    ),
  ),
  line(
    '§10 `transactional` by a person, not a key',
    by('reminders/creating', 'is made by a person, not by a key'),
  ),
  line(
    '§11 Fields, operators, depth 4, 50 conditions',
    segments('at %s by the rule %s'),
    segments('are not those of four groups and fifty conditions'),
  ),
  line(
    '§11 Compiled to parameterised SQL that finds whom the rules mean',
    by(
      'segments/language',
      'find in SQL exactly whom a plain evaluation finds, condition by condition',
      'find in SQL exactly whom a plain evaluation finds, however they are combined',
    ),
    segments('stays a text: %s matches nobody'),
  ),
  line(
    '§11 Five seconds',
    by(
      'segments/heavy',
      'end after five seconds as segment_too_heavy, and the transaction around them goes on',
    ),
  ),
  line(
    '§11 `opted_out` is always excluded when sending',
    by(
      'campaigns/audience/segments',
      'counts before it begins exactly whom %j will leave out, and why',
    ),
  ),
  line(
    '§12 Origin and the way in',
    by(
      'contacts/creating',
      'answers the full record, with the phone in E.164 and as its first identity',
      'is by hand when a person in the console does it, and by the API through an app',
    ),
    by(
      'inbound/messages',
      'makes the contact, the conversation and the message, and tells both events',
    ),
    by(
      'forms/submitting',
      'creates the contact by its phone, with every field, the tag and the way in',
    ),
  ),
  line(
    '§12 `whatsapp_status`: `invalid` after two losses to 131026 7 days apart, `valid` by what arrives or is written',
    by(
      'inbound/whatsapp-status',
      'is known when a message is %s, not when it is sent',
      'is denied by two losses 7 days apart, never by one, nor by many within 7 days',
      'is counted anew after anything that arrived between the two',
      'is true again when %s',
    ),
  ),
  line(
    '§12 Phones: E.164, the ninth digit matched, WhatsApp’s spelling never written over',
    by('contacts/phones', 'is the same for %s and, without the ninth digit, %s', 'keeps %s as %s'),
    by(
      'contacts/recognising',
      'is known without the ninth digit, and WhatsApp’s spelling is remembered, not written over',
    ),
  ),
  line(
    '§12 A phone of somebody else: 409 `duplicate` with the contact; `""` clears it',
    by(
      'contacts/changing',
      'refuses the phone of another person with 409 and that person’s id, and changes nothing',
      'clears the phone by an empty string and the e-mail address by null',
    ),
  ),
  line(
    '§12 `birth_date`: 1904 where the year is unknown; not before 1900, not to come',
    by(
      'contacts/changing',
      'keeps a birthday without its year in 1904, and asks for the year when it becomes known',
      'refuses a patch whose %s is not the caller’s to write so',
    ),
  ),
  line(
    '§13 The filters of conversations, `me` and `none`',
    by(
      'conversations/filters',
      'keep to a number, a team, a member, a group, who answers, and a kind',
      'know who asks: me is the member whom an app acts for',
      'refuse %s',
    ),
    by(
      'conversations/conversations-api',
      'lists by each filter, and says no to a filter that no key can mean',
    ),
  ),
  line(
    '§13 One conversation per number and contact',
    by(
      'conversations/outgoing',
      'begins one conversation for a number and a contact, however many ask at once',
    ),
  ),
  line(
    '§13 Transfer: stops automation runs only if a member is set',
    by(
      'conversations/transfer',
      'hands over the automations that talk in it when a member gets it, and not for a team alone',
    ),
  ),
  line(
    '§13 Assignment queue: oldest waiting first, on arrival, member online, close, capacity',
    by(
      'conversations/assignment-queue',
      'gives the oldest waiting ones to a member who comes online, up to their capacity, and the next one on close',
      'gives more when somebody gets more room',
      'gives the next one to whoever handed a conversation on',
      'gives no conversation twice and nobody too many, however many ask at once',
      'tells who keeps a message in which queue its conversation waits',
    ),
  ),
];
