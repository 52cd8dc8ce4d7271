import { by, type Line, line } from '../../lines.ts';

const news = (...tests: string[]) => by('inbound/number-news', ...tests);
const health = (...tests: string[]) => by('numbers/health', ...tests);

/** §8, §13, §18 and §25: what happens because time passes. */
export const byTheClock: readonly Line[] = [
  line(
    '§8 Every transition of a number, and no other',
    by(
      'numbers/states',
      'go from %s where the table says, and nowhere else',
      'stop campaigns by every cause that ends sending',
    ),
  ),
  line(
    '§8 Degraded by quality, throttling, error rate or a late heartbeat; connected after 10 healthy minutes',
    by('numbers/states', 'a look at a number › %s'),
    health(
      'degrades a number that fails too often, and takes that back after ten healthy minutes',
      'degrades a number that WhatsApp slows for five minutes',
    ),
    news('degrades it at once when its quality is red, and remembers when it is green again'),
  ),
  line(
    '§8 Provisioning without progress for 10 minutes: error',
    health('gives up a number that is not provided within ten minutes, until a person tries again'),
  ),
  line(
    '§8 Paired numbers: codes, pairing expired, closed connections, logged out',
    health('lets a paired number wait for its device no longer than its codes live'),
    news(
      'is connected by its device, and asks for it again when the codes are used up',
      'comes back by itself from a closed connection, and from nothing else',
    ),
  ),
  line(
    '§8 A number that cannot send pauses its campaigns, which never go on by themselves',
    health(
      'pauses the campaigns of a number whose connection stays closed, which never go on by themselves',
    ),
    news(
      'suspends every number of a restricted account, pauses its campaigns, and lifts that again',
    ),
  ),
  line(
    '§13 Idle closing: off by default, after 1 to 720 hours, by the system',
    by(
      'conversations/idle-closing',
      'closes each conversation once, as the system, with its event, its line and its entry',
      'is off until somebody sets 1 to 720 hours, which the log says',
      'counts from the last message, from reopening, and not while a conversation is snoozed',
    ),
  ),
  line(
    '§13 The return timer of a team: the next member, then the team, then an alert',
    by(
      'conversations/return-timer',
      'gives what nobody answers to the next member, then to the team, then alerts once',
      'begins anew when somebody transfers it, and again when the person writes after an answer',
    ),
  ),
  line(
    '§18 Message history ends after the months of the plan',
    by(
      'conversations/history',
      'goes as far back as the plan says, and not a moment less',
      'takes more than a page, and files with the last message that shows them',
    ),
  ),
  line(
    '§25 A key that ends soon is in the log, 30 and 7 days before',
    by('api-keys/expiry-warnings', 'is written into the log 30 and 7 days before, once each'),
  ),
];
