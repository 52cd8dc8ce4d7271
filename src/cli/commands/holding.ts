import type { Command } from 'commander';
import { holdNumbers, releaseNumbers } from '../ops/holding.ts';
import { counted, createOutput } from '../output.ts';
import { withSession } from '../session.ts';
import type { SomeWorkspaceOptions } from './in-workspace.ts';

/** For a restored database, and whenever nothing may be sent (docs/backup.md). */
export function holdingCommands(ops: Command): void {
  const add = (usage: string, description: string): Command =>
    ops
      .command(usage)
      .description(description)
      .option('--workspace <id>', 'this workspace; without it all of them')
      .option('--json', 'print one JSON document');
  add('hold', 'let no number send: after a restore, or when something goes wrong').action(hold);
  add('release', 'let the numbers that were held send again; their campaigns stay paused')
    .option('--at-once', 'also when what was due before the hold could still go out')
    .action(release);
}

const hold = ({ workspace, json }: SomeWorkspaceOptions): Promise<void> =>
  withSession(async (session) => {
    const { held, anew } = await holdNumbers(session, workspace);
    await session.tellOfStops();
    createOutput(json).result({ held, held_anew: anew }, [
      ...held.map((each) => `${each.number} of ${each.workspace} is held`),
      ...(anew.length > 0
        ? [
            `${counted(anew.length, 'number was held already, and its hour begins', 'numbers were held already, and their hour begins')} anew.`,
          ]
        : []),
      `${counted(held.length, 'number was held. Nothing goes out by it', 'numbers were held. Nothing goes out by them')}, except single messages that were just being sent, until: wms ops release`,
    ]);
  });

const release = ({
  workspace,
  json,
  atOnce = false,
}: SomeWorkspaceOptions & { atOnce?: boolean }) =>
  withSession(async (session) => {
    const { released, refused } = await releaseNumbers(session, { workspace, atOnce });
    createOutput(json).result({ released, refused }, [
      ...released.map((each) => `${each.number} of ${each.workspace} sends again`),
      ...refused.map((each) => `${each.number} of ${each.workspace} stays held: ${each.because}`),
      `${counted(released.length, 'number was', 'numbers were')} released, ${counted(refused.length, 'stays', 'stay')} held. Campaigns that were paused are resumed by people.`,
    ]);
    if (refused.length > 0) process.exitCode = 1;
  });
