import { by, type Line, line } from '../../lines.ts';
import { campaignGuards } from './campaign-guards.ts';

/** Campaigns and numbers. */
export const paragraphs4To8: readonly Line[] = [
  line(
    '§4 `when`: with offset or local in the workspace zone with the rules of clock changes, 5 minutes to 365 days ahead',
    by(
      'campaigns/when',
      'reads %s as %s',
      'when a campaign is to be sent › %s',
      'refuses %j by the rule %s',
    ),
  ),
  line(
    '§5 `pace` by number and plan, `effective_pace`, evenly spaced',
    by(
      'campaigns/limits/pacing',
      'on a %s number under a plan of %d is one of %j',
      'of %s under a ceiling of %s beside others of %j is %s in the end',
      'are evenly spaced, never a burst',
    ),
    by('campaigns/limits/pace', 'spaces sends evenly'),
  ),
  line(
    '§5 130429 halves the pace for 60 s, then it recovers',
    by('campaigns/limits/pacing', '%d s later has %d of its ceiling'),
  ),
  ...campaignGuards,
  line(
    '§6 The rules of `target`, text variables, and `missing_variable`',
    by('campaigns/creating', 'refuses %#: %s by the rule %s, and changes nothing'),
    by(
      'conversations/personal-text',
      'reads %j as %j',
      'is no text at all where %j misses a value without a fallback',
    ),
  ),
  line(
    '§7 Audience: estimated, then frozen; total is eligible and excluded; each recipient in one result',
    by(
      'campaigns/audience/freezing',
      'leaves out whoever must not, cannot or need not get it, and says why',
      'goes on where it stood after a pause or a crash, and counts nobody twice',
    ),
    by('chaos/random-kills', 'loses no message and no webhook, and sends nothing twice'),
  ),
  line(
    '§7 A person opting out after the freezing is skipped',
    by(
      'campaigns/batches/sending',
      'skips whoever opted out, was blocked or left the window after the freezing',
    ),
    by(
      'inbound/opting-out',
      'takes the person out of every campaign that has not begun to send to them',
    ),
  ),
  line(
    '§7 `replied`: who wrote to the number within a week of the campaign that reached them last',
    by(
      'automations/triggers/campaign-replies',
      'replies to the one that reached them last, and to none that did a week ago or before',
    ),
    by(
      'automations/triggers/conversations',
      'is none where it goes to another number than the one the campaign came from',
    ),
  ),
  line(
    '§7 `opted_out`: who opted out within a week of the campaign that reached them last',
    by(
      'campaigns/opted-out',
      'is counted once, in the one that reached them last',
      'is nobody whom it did not reach',
      'is nobody who did so more than a week after it, as with replies',
    ),
  ),
  line(
    '§7 Delivery contract: intent first, one message for an identity, unknown answers never sent again',
    by(
      'campaigns/batches/sending',
      'never sends again to a recipient whose answer was lost',
      'never sends twice when several attempts of it run at once',
    ),
    by('campaigns/batches/dead-workers', 'are given up, never sent again, and the others are sent'),
    by('contacts/merging', 'gives nobody one campaign twice'),
  ),
  line(
    '§8 `hours`: seven days, Monday first, past midnight, all day, null is always open',
    by(
      'numbers/hours',
      '%s',
      'are always open without any',
      'are read on the clock of the workspace, in summer and winter',
    ),
    by('numbers/changing', 'opens always again with null'),
  ),
  line(
    '§8 `stage_id`: first stage for new people',
    by(
      'pipelines/newcomers',
      'gets one deal there, in the transaction of the message, and subscribers hear of it',
      'is not new on another number: a known contact gets no second deal',
    ),
  ),
];
