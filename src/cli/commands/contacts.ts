import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'csv-parse/sync';
import { type ImportedRow, type ImportRow, importContacts } from '../../contacts/importing.ts';
import { CommandError, createOutput, type Output } from '../output.ts';
import { withSession } from '../session.ts';

interface Options {
  readonly workspace: string;
  readonly json?: boolean;
}

const COLUMNS = ['name', 'phone', 'email', 'tags', 'birth_date', 'language', 'time_zone', 'notes'];
const SHOWN_PROBLEMS = 20;

export function contactCommands(program: Command): void {
  program
    .command('contacts')
    .description('people of a workspace')
    .command('import')
    .description(
      `import a CSV file; its first line names the columns: ${COLUMNS.join(', ')} or custom.<key>`,
    )
    .argument('<file>', 'the CSV file, UTF-8')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--json', 'print one JSON document')
    .action((file: string, options: Options) =>
      withSession(async (session) => {
        const output = createOutput(options.json ?? false);
        const rows = readRows(file);
        const outcomes = await importContacts(
          await session.contextFor(options.workspace),
          rows,
          (done) => output.progress(progressBar(done, rows.length)),
        );
        report(output, outcomes);
      }),
    );
}

function readRows(file: string): ImportRow[] {
  let records: Record<string, string>[];
  try {
    records = parse(readFileSync(file), {
      columns: true,
      bom: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    throw new CommandError(
      `${file} cannot be read as CSV: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const unknown = Object.keys(records[0] ?? {}).filter(
    (name) => !COLUMNS.includes(name) && !name.startsWith('custom.'),
  );
  if (unknown.length > 0) {
    throw new CommandError(
      `${file} has columns that are not known: ${unknown.join(', ')}. There are: ${COLUMNS.join(', ')}, custom.<key>.`,
    );
  }
  return records.map(toRow);
}

/** Tags are separated by semicolons; `custom.<key>` columns become custom fields. */
function toRow(record: Record<string, string>): ImportRow {
  const plain = Object.entries(record).filter(
    ([name]) => !name.startsWith('custom.') && name !== 'tags',
  );
  const custom = Object.entries(record)
    .filter(([name, value]) => name.startsWith('custom.') && value !== '')
    .map(([name, value]) => [name.slice('custom.'.length), value]);
  const tags = (record['tags'] ?? '')
    .split(';')
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    ...Object.fromEntries(plain),
    ...(tags.length > 0 ? { tags } : {}),
    ...(custom.length > 0 ? { custom: Object.fromEntries(custom) } : {}),
  };
}

const progressBar = (done: number, total: number): string => {
  const filled = Math.round((done / total) * 30);
  return `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${done} of ${total}`;
};

function report(output: Output, rows: readonly ImportedRow[]): void {
  const counts = { created: 0, updated: 0, unchanged: 0, invalid: 0 };
  for (const row of rows) counts[row.outcome] += 1;
  const invalid = rows.flatMap(({ outcome, problems }, index) =>
    outcome === 'invalid' ? [{ line: index + 2, problems }] : [],
  );
  output.result({ ...counts, invalid_rows: invalid }, [
    ...invalid
      .slice(0, SHOWN_PROBLEMS)
      .map(
        ({ line, problems }) =>
          `line ${line}: ${problems.map(({ path, message }) => `${path}: ${message}`).join(' ')}`,
      ),
    ...(invalid.length > SHOWN_PROBLEMS
      ? [`… and ${invalid.length - SHOWN_PROBLEMS} more lines`]
      : []),
    Object.entries(counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  ]);
}
