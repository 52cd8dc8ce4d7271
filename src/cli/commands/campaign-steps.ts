import type { Command } from 'commander';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../campaigns/states/transitions.ts';
import type { Context } from '../../context.ts';
import { CommandError, createOutput } from '../output.ts';
import { type Session, withSession } from '../session.ts';
import { workspaceHaving } from '../workspace-having.ts';
import type { SomeWorkspaceOptions } from './in-workspace.ts';

/** What an operator does to a customer's campaign, without a key of the workspace (docs/operations.md). */
export function campaignStepCommands(campaign: Command): void {
  const add = (name: string, description: string, step: typeof pauseCampaign): Command =>
    campaign
      .command(name)
      .description(description)
      .argument('<campaign>', 'the id of the campaign, cmp_…')
      .option('--workspace <id>', 'the workspace; that of the campaign without it')
      .option('--json', 'print one JSON document')
      .action((id: string, { json, ...options }: SomeWorkspaceOptions) =>
        withSession(async (session) => {
          const ctx = await contextOf(session, id, options);
          const { status } = await step(ctx, id);
          await session.tellOfStops();
          const result = { campaign_id: id, workspace_id: ctx.organizationId, status };
          createOutput(json).result(result, [`campaign ${id} is ${status}`]);
        }),
      );
  add('pause', 'start no new send until it is resumed', pauseCampaign);
  add('resume', 'go on with those not settled yet', resumeCampaign);
  add('cancel', 'end it for good; what was sent stays sent', cancelCampaign);
}

/** A campaign's id is enough to find its workspace. */
async function contextOf(
  session: Session,
  id: string,
  { workspace }: SomeWorkspaceOptions,
): Promise<Context> {
  const found = workspace ?? (await workspaceHaving(session, 'campaigns', id));
  if (!found) throw new CommandError(`There is no campaign ${id}.`);
  return session.contextFor(found);
}
