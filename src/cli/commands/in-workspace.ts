import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { PageOf, PageRequest, Position } from '../../http/route.ts';
import { createOutput } from '../output.ts';
import { type Session, withSession } from '../session.ts';

export interface WorkspaceOptions {
  readonly workspace: string;
  readonly json?: boolean;
}

export interface SomeWorkspaceOptions {
  readonly workspace?: string;
  readonly json?: boolean;
}

/** For commands on a developer's own machine, which default to the demo workspace. */
export const aboutSomeWorkspace = (parent: Command, usage: string, description: string): Command =>
  parent
    .command(usage)
    .description(description)
    .option('--workspace <id>', 'the workspace; without it the demo workspace of the service here')
    .option('--json', 'print one JSON document');

/** A command about one workspace, with the two options that all of these share. */
export const aboutWorkspace = (parent: Command, usage: string, description: string): Command =>
  parent
    .command(usage)
    .description(description)
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--json', 'print one JSON document');

/** Runs a use case as the command line, and prints the result. */
export const perform = <T>(
  { workspace, json }: SomeWorkspaceOptions,
  work: (ctx: Context, session: Session) => Promise<T>,
  say: (result: T) => readonly string[],
): Promise<void> =>
  withSession(async (session) => {
    const result = await work(await session.contextFor(workspace), session);
    createOutput(json).result(result, say(result));
  });

const PAGE = 100;

/** All records of a list, page by page. */
export const all = <T>(
  ctx: Context,
  list: (tx: Context, page: PageRequest) => Promise<PageOf<T>>,
): Promise<T[]> =>
  transact(ctx, async (tx) => {
    const records: T[] = [];
    let after: Position | null = null;
    do {
      const page: PageOf<T> = await list(tx, { limit: PAGE, after });
      records.push(...page.data);
      after = page.next;
    } while (after);
    return records;
  });
