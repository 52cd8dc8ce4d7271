import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { AppError, type FieldProblem, messageOf } from '../errors.ts';
import { CommandError, oneLine } from './output.ts';

/** Prints what is wrong, as a sentence or, with `--json`, as the API's error, and sets exit code 1. */
export function reportFailure(error: unknown): void {
  // Help that was asked for.
  if (error instanceof CommanderError && error.exitCode === 0) return;
  process.exitCode = 1;
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ error: describe(error) }));
    return;
  }
  for (const line of sentences(error)) console.error(oneLine(line));
}

function describe(error: unknown): { code: string; message: string; details?: unknown } {
  if (error instanceof AppError) {
    const { code, message, details } = error;
    return { code, message, ...(details ? { details } : {}) };
  }
  if (error instanceof CommanderError)
    return { code: 'usage', message: error.message.replace(/^error: /, '') };
  return {
    code: error instanceof ConfigError ? 'configuration' : 'failed',
    message: messageOf(error),
  };
}

/** Of a refusal by status: which ones it would take. */
function whatItTakes({ details }: AppError): string[] {
  const { status, allowed } = (details ?? {}) as { status?: string; allowed?: readonly string[] };
  if (status === undefined || !allowed?.length || allowed.includes(status)) return [];
  return [`It would have to be ${allowed.join(' or ')}.`];
}

function sentences(error: unknown): string[] {
  if (error instanceof ConfigError) return [...error.problems];
  if (error instanceof AppError && Array.isArray(error.details)) {
    const problems = error.details as readonly FieldProblem[];
    return problems.map((problem) => `${problem.path}: ${problem.message}`);
  }
  if (error instanceof AppError) return [error.message, ...whatItTakes(error)];
  if (error instanceof CommandError) return [error.message];
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return told.split('\n');
}
