import type { Command } from 'commander';
import { setDailyLimit } from '../../campaigns/limits/daily-limit.ts';
import { type CampaignGuards, type GuardChange, setGuards } from '../../campaigns/limits/guards.ts';
import { CommandError, wholeNumber } from '../output.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Guards extends WorkspaceOptions {
  readonly quietHours?: string;
  readonly frequencyCap?: string;
}

/** The limits on a workspace's campaigns. */
export function campaignGuardCommands(campaign: Command): void {
  aboutWorkspace(campaign, 'guards', 'show or set what all campaigns of the workspace keep to')
    .option('--quiet-hours <from-to>', 'local times in which none is sent: 21:00-08:00, or none')
    .option('--frequency-cap <n/days>', 'the most per person in a number of days: 2/7, or none')
    .action((options: Guards) =>
      perform(options, (ctx) => setGuards(ctx, changeOf(options)), sentences),
    );
  aboutWorkspace(
    campaign,
    'daily-limit',
    'set how many messages campaigns send on a number in a day',
  )
    .argument('<number>', 'the id of the number, num_…')
    .argument('<limit>', 'messages a day, or none')
    .action((id: string, limit: string, options: WorkspaceOptions) =>
      perform(
        options,
        async (ctx) => {
          const daily_limit = limit === 'none' ? null : wholeNumber(limit);
          await setDailyLimit(ctx, id, daily_limit);
          return { number_id: id, daily_limit };
        },
        (set) => [
          `number ${id} sends ${set.daily_limit ?? 'any number of'} campaign messages a day`,
        ],
      ),
    );
}

function changeOf({ quietHours, frequencyCap }: Guards): GuardChange {
  return {
    ...(quietHours === undefined ? {} : { quiet: parted(quietHours, '-', quietOf) }),
    ...(frequencyCap === undefined ? {} : { cap: parted(frequencyCap, '/', capOf) }),
  };
}

const quietOf = (from: string, to: string) => ({ from, to });
const capOf = (messages: string, days: string) => ({
  messages: wholeNumber(messages),
  days: wholeNumber(days),
});

function parted<T>(value: string, by: string, read: (a: string, b: string) => T): T | null {
  if (value === 'none') return null;
  const [a, b, more] = value.split(by);
  if (a === undefined || b === undefined || more !== undefined) {
    throw new CommandError(`${value}: write two values with ${by} in between, or none.`);
  }
  return read(a, b);
}

const sentences = ({ quiet, cap }: CampaignGuards): string[] => [
  quiet ? `quiet from ${quiet.from} to ${quiet.to}, ${quiet.timeZone}` : 'no quiet hours',
  cap ? `at most ${cap.messages} campaigns to one person in ${cap.days} days` : 'no frequency cap',
];
