import type { Command } from 'commander';
import { type CampaignInput, createCampaign } from '../../campaigns/service.ts';
import { sendCampaign } from '../../campaigns/states/transitions.ts';
import { CommandError } from '../output.ts';
import { campaignGuardCommands } from './campaign-guards.ts';
import { campaignProofCommands } from './campaign-proof.ts';
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
        (ctx) => createCampaign(ctx, inputOf(options)).then(shown),
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
  campaignGuardCommands(campaign);
  campaignProofCommands(campaign);
}

const shown = ({ id, status }: Awaited<ReturnType<typeof createCampaign>>) => ({
  campaign_id: id,
  status,
});

function inputOf(options: Create): CampaignInput {
  const { segment = null, group = [], pipeline = null, stage = [] } = options;
  const target = targetOf(options);
  return {
    name: lengthOf('--name', options.name, 80),
    number_id: options.number,
    target,
    segment_id: segment,
    contact_ids: [],
    group_ids: group,
    pipeline_id: pipeline,
    stage_ids: stage,
    text: lengthOf('--text', options.text, 4096),
    when: null,
    pace: Number(options.pace),
  };
}

function targetOf({ segment, group, pipeline }: Create): 'segment' | 'groups' | 'pipeline' {
  if (segment) return 'segment';
  if (group) return 'groups';
  if (pipeline) return 'pipeline';
  throw new CommandError('Name the recipients: --segment, --group or --pipeline.');
}

function lengthOf(option: string, value: string, most: number): string {
  const length = [...value].length;
  if (length >= 1 && length <= most) return value;
  throw new CommandError(`${option} must have 1 to ${most} characters.`);
}
