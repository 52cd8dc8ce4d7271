import type { Command } from 'commander';
import { newOwnCampaign } from '../../campaigns/draft/own.ts';
import { createCampaign } from '../../campaigns/service.ts';
import { sendCampaign } from '../../campaigns/states/transitions.ts';
import { guard } from '../../http/guard.ts';
import { CommandError, wholeNumber } from '../output.ts';
import { campaignGuardCommands } from './campaign-guards.ts';
import { campaignProofCommands } from './campaign-proof.ts';
import { campaignStepCommands } from './campaign-steps.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Create extends WorkspaceOptions {
  readonly name: string;
  readonly number: string;
  readonly text: string;
  readonly pace: string;
  readonly segment?: string;
  readonly group?: readonly string[];
  readonly pipeline?: string;
  readonly stage?: readonly string[];
}

const several = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `wms campaign`, including proofs and a workspace's limits. */
export function campaignCommands(program: Command): void {
  const campaign = program.command('campaign').description('bulk sends');
  aboutWorkspace(
    campaign,
    'create',
    'draft a campaign to a segment, to groups, or to contacts with an open deal',
  )
    .requiredOption('--name <name>', 'name, 1 to 80 characters')
    .requiredOption('--number <id>', 'the number that sends, num_…')
    .requiredOption('--text <text>', 'the text; {{first_name|friend}} is filled in')
    .option('--pace <n>', 'messages per minute: 10, 60, 600 or 4800', '60')
    .option('--segment <id>', 'to a segment, seg_…')
    .option('--group <id>', 'to a group, grp_…; may be repeated', several)
    .option('--pipeline <id>', 'to everybody with an open deal in it, pip_…')
    .option('--stage <id>', 'only in this stage of the pipeline, stg_…; may be repeated', several)
    .action((options: Create) =>
      perform(
        options,
        (ctx) => createCampaign(ctx, guard(newOwnCampaign, inputOf(options))).then(shown),
        ({ campaign_id: id }) => [
          `campaign ${id} is a draft; send it: wms campaign send ${id} --workspace ${options.workspace}`,
        ],
      ),
    );
  aboutWorkspace(campaign, 'send', 'send a draft now, for real')
    .argument('<campaign>', 'the id of the campaign, cmp_…')
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => sendCampaign(ctx, id).then(shown),
        ({ status }) => [`campaign ${id} is ${status}`],
      ),
    );
  campaignStepCommands(campaign);
  campaignGuardCommands(campaign);
  campaignProofCommands(campaign);
}

const shown = ({ id, status }: Awaited<ReturnType<typeof createCampaign>>) => ({
  campaign_id: id,
  status,
});

const inputOf = (options: Create) => ({
  name: options.name,
  number_id: options.number,
  target: targetOf(options),
  segment_id: options.segment,
  group_ids: options.group,
  pipeline_id: options.pipeline,
  stage_ids: options.stage,
  text: options.text,
  pace: wholeNumber(options.pace),
});

function targetOf({ segment, group, pipeline }: Create): 'segment' | 'groups' | 'pipeline' {
  if (segment) return 'segment';
  if (group) return 'groups';
  if (pipeline) return 'pipeline';
  throw new CommandError('Name the recipients: --segment, --group or --pipeline.');
}
