import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { COLUMNS, type CsvRow, readCsv } from '../../contacts/imports/csv.ts';
import { type ImportedRow, importContacts } from '../../contacts/imports/rows.ts';
import { optInByMember } from '../../contacts/opt-outs/opting-out.ts';
import { AppError, type FieldProblem } from '../../errors.ts';
import { CommandError, createOutput, type Output } from '../output.ts';
import { withSession } from '../session.ts';
import { aboutWorkspace, perform, type WorkspaceOptions } from './in-workspace.ts';

const SHOWN_PROBLEMS = 20;

/** `wms contacts`: opt-ins, phrases that opt out, imports. */
export function contactCommands(program: Command): void {
  const contacts = program
    .command('contacts')
    .alias('contact')
    .description('people of a workspace');
  aboutWorkspace(contacts, 'opt-in', 'take an opt-out back, because the person told a member so')
    .argument('<contact>', 'the contact')
    .requiredOption('--reason <text>', 'what the person said, and when; recorded in the audit log')
    .action((id: string, { reason, ...options }: WorkspaceOptions & { readonly reason: string }) =>
      perform(
        options,
        async (ctx) => ({ id, opted_out: false, changed: await optInByMember(ctx, id, reason) }),
        ({ changed }) => [changed ? `${id} gets messages again.` : `${id} was not opted out.`],
      ),
    );
  aboutWorkspace(
    contacts,
    'import',
    `import a CSV file; its first line names the columns: ${COLUMNS.join(', ')} or custom.<key>; tags are separated by semicolons`,
  )
    .argument('<file>', 'the CSV file, UTF-8')
    .action((file: string, options: WorkspaceOptions) =>
      withSession(async (session) => {
        const output = createOutput(options.json);
        const rows = await readRows(file);
        const sound = rows.filter(({ problem }) => problem === null);
        const outcomes = await importContacts(
          await session.contextFor(options.workspace),
          sound.map(({ fields }) => fields),
          (done) => output.progress(progressBar(done, sound.length)),
        );
        const found = outcomes.values();
        report(
          output,
          rows,
          rows.flatMap(({ problem }) => (problem ? refused(problem) : (found.next().value ?? []))),
        );
      }),
    );
}

const refused = (problem: FieldProblem): ImportedRow => ({
  outcome: 'invalid',
  contactId: null,
  problems: [problem],
});

const MAX_ROWS = 100_000;

async function readRows(file: string): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  try {
    for await (const row of readCsv(createReadStream(file), MAX_ROWS)) rows.push(row);
  } catch (error) {
    if (!(error instanceof AppError)) throw new CommandError(`${file}: ${String(error)}`);
    const [problem] = error.details as readonly FieldProblem[];
    throw new CommandError(`${file}: ${problem?.message ?? error.message}`);
  }
  return rows;
}

const progressBar = (done: number, total: number): string => {
  const filled = Math.round((done / total) * 30);
  return `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${done} of ${total}`;
};

/** What is wrong with a whole row names no field. */
const inWords = ({ path, message }: FieldProblem): string =>
  [path, message].filter(Boolean).join(': ');

/** Rows that were not taken make the command exit with 1; the others are in. */
function report(output: Output, read: readonly CsvRow[], rows: readonly ImportedRow[]): void {
  const counts = { created: 0, updated: 0, unchanged: 0, invalid: 0 };
  for (const row of rows) counts[row.outcome] += 1;
  const invalid = rows.flatMap(({ outcome, problems }, index) =>
    outcome === 'invalid' ? [{ line: read[index]?.line ?? 0, problems }] : [],
  );
  if (invalid.length > 0) process.exitCode = 1;
  output.result({ ...counts, invalid_rows: invalid }, [
    ...invalid
      .slice(0, SHOWN_PROBLEMS)
      .map(({ line, problems }) => `line ${line}: ${problems.map(inWords).join(' ')}`),
    ...(invalid.length > SHOWN_PROBLEMS
      ? [`… and ${invalid.length - SHOWN_PROBLEMS} more lines`]
      : []),
    Object.entries(counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  ]);
}
