import { by, type Line, line } from '../../lines.ts';

/** What keeps campaigns from being too much, and how they share a number. */
export const campaignGuards: readonly Line[] = [
  line(
    '§5 The warm-up of paired numbers; the fair share of campaigns on one number, and what is left for replies',
    by(
      'campaigns/timetable',
      'agrees with the run through the warm-up of a paired number, over three days',
    ),
    by(
      'campaigns/limits/fair-shares',
      'share it evenly, at the pace that each of them shows',
      'leave a fifth of the number to replies, which never wait for a turn longer than one message takes',
    ),
  ),
  line(
    '§5 131056 delays its recipient alone',
    by(
      'campaigns/limits/automatic-pauses',
      'wait by themselves: neither the number nor anybody else does',
    ),
    by('campaigns/batches/last-tries', '%s is tried six times, and then lost'),
    by(
      'conversations/lane-tries',
      'is tried six times, each time after a longer wait, and then lost',
    ),
  ),
  line(
    '§6 Quiet hours and `waiting_until`; the preview agrees with the run second by second',
    by(
      'campaigns/limits/quiet-campaigns',
      'keep a campaign sending and say until when it waits; taking them away lets it go on',
    ),
    by('campaigns/walk', 'sends nothing in quiet hours and goes on by itself when they are over'),
    by('campaigns/timetable', 'agrees with the run through quiet hours'),
  ),
  line(
    '§6 Pauses by themselves: `daily_limit`, `template_paused`, `quota`, `opt_out_rate`',
    by(
      'campaigns/limits/guards',
      'have one limit for all campaigns of a number, and a new one tomorrow',
    ),
    by('campaigns/limits/automatic-pauses', '%s pauses the campaign, and burns no recipient'),
    by(
      'campaigns/limits/automatic-pauses',
      'holds a campaign whose rules reached more than its start counted, before anybody is sent to',
    ),
    by(
      'campaigns/limits/opt-outs',
      'pauses by itself when six of the last two hundred opted out, and sends to nobody more',
      'does not judge by fewer than two hundred',
    ),
  ),
  line(
    '§7 `excluded.frequency_cap`',
    by(
      'campaigns/limits/frequency-cap',
      'leaves out whoever had that many campaigns lately, and says so before and after',
      'is the same for rules, counted at once and frozen by spans',
    ),
  ),
];
