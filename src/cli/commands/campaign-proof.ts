import fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { ProofBeginning, ProofEnding } from '../../campaigns/proof/chain.ts';
import { type CheckedProof, checkProof } from '../../campaigns/proof/file.ts';
import { wholeProof } from '../../campaigns/proof/proving.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { CommandError, createOutput } from '../output.ts';
import { aboutSomeWorkspace, perform, type SomeWorkspaceOptions } from './in-workspace.ts';

interface Prove extends SomeWorkspaceOptions {
  readonly out?: string;
}

interface Verify {
  readonly head?: string;
  readonly json?: boolean;
}

/** Exports what became of each recipient, to a file in which later changes can be detected. */
export function campaignProofCommands(campaign: Command): void {
  const proof = aboutSomeWorkspace(
    campaign,
    'proof',
    'export the outcome of each recipient of a finished campaign, as chained lines with hashes',
  )
    .argument('<campaign>', 'the id of the campaign, cmp_…')
    .option('--out <file>', 'write all lines to this file')
    .action((id: string, options: Prove) =>
      perform(
        options,
        (ctx) => prove(ctx, id, options.out),
        ({ total, file, ...summary }) => [
          `audience of ${total}: ${wordsOf(summary)}`,
          `head ${summary.head}`,
          file === null
            ? 'Write it down with --out <file>.'
            : `Written to ${file}; check it: wms campaign proof verify ${file}`,
        ],
      ),
    );
  proof
    .command('verify')
    .description(
      'check the file of a proof, and name each line that does not fit; needs no service',
    )
    .argument('<file>', 'as --out wrote it')
    .option('--head <hash>', 'the head that was told apart from the file')
    .action((file: string, _: Verify, command: Command) =>
      verify(file, command.optsWithGlobals<Verify>()),
    );
}

interface Summary extends ProofBeginning, ProofEnding {
  readonly file: string | null;
}

const prove = (ctx: Context, id: string, file: string | null = null): Promise<Summary> =>
  transact(ctx, async (tx) => {
    const written = file === null ? null : openFile(file);
    let summary: Partial<Summary> = { file };
    try {
      for await (const record of wholeProof(tx, id)) {
        if (!('hash' in record)) summary = { ...summary, ...record };
        written?.add(`${JSON.stringify(record)}\n`);
      }
    } finally {
      written?.close();
    }
    written?.keep();
    return summary as Summary;
  });

/** The file gets its name only once it is complete. */
function openFile(file: string) {
  if (file === '') throw new CommandError('--out names no file.');
  const unfinished = `${file}.part`;
  const descriptor = orSay(() => fs.openSync(unfinished, 'w'), `${file} cannot be written`);
  return {
    add: (text: string) => orSay(() => fs.writeSync(descriptor, text), `${file} cannot be written`),
    close: () => fs.closeSync(descriptor),
    keep: () => fs.renameSync(unfinished, file),
  };
}

function orSay<T>(work: () => T, what: string): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`${what}: ${(error as Error).message}`);
  }
}

async function verify(file: string, { head, json }: Verify): Promise<void> {
  const { beginning, ending, problems } = await checkProof(linesOf(file));
  const told: CheckedProof['problems'] =
    head === undefined || head === ending.head
      ? []
      : [{ line: null, recipient_id: null, rule: 'head', message: `Its head is ${ending.head}.` }];
  const found = [...problems, ...told];
  const valid = found.length === 0;
  if (!valid) process.exitCode = 1;
  const { campaign_id, total, eligible } = beginning;
  createOutput(json).result(
    { campaign_id, total, eligible, ...ending, valid, problems: found },
    valid
      ? [
          `the proof of ${campaign_id} holds: audience of ${total}, ${wordsOf({ ...beginning, ...ending })}`,
          `head ${ending.head}`,
        ]
      : found.map(({ line, recipient_id, message }) =>
          line === null ? message : `line ${line}, ${recipient_id}: ${message}`,
        ),
  );
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const input = fs.createReadStream(file);
  try {
    yield* createInterface({ input });
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function wordsOf({
  eligible,
  excluded,
  outcomes,
}: Pick<Summary, 'eligible' | 'excluded' | 'outcomes'>): string {
  const leftOut = Object.values(excluded).reduce((sum, n) => sum + n, 0);
  const became = Object.entries(outcomes).flatMap(([outcome, n]) =>
    n > 0 ? [`${n} ${outcome}`] : [],
  );
  return `${eligible} were to get it (${became.join(', ') || 'none'}), ${leftOut} were left out`;
}
