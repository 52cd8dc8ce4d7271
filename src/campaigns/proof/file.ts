import type { ZodType } from 'zod';
import { type FieldProblem, validation } from '../../errors.ts';
import type { ProofBeginning, ProofEnding } from './chain.ts';
import { createProofCheck, type ProofProblem } from './check.ts';
import { proofBeginning, proofEnding, proofLine } from './schema.ts';

/** What a proof claims, and where it does not hold. */
export interface CheckedProof {
  readonly beginning: ProofBeginning;
  readonly ending: ProofEnding;
  readonly problems: readonly ProofProblem[];
}

/**
 * Checks a proof's file: one JSON document per line, first the audience, then each recipient, last the head. Throws
 * 422 `validation` with the number of a line that is not such a document.
 */
export async function checkProof(lines: AsyncIterable<string>): Promise<CheckedProof> {
  const numbered = numberedFrom(lines);
  const start = await numbered.next();
  if (start.done) throw notOne(1, 'the file is empty');
  const beginning = read(proofBeginning, start.value);
  const check = createProofCheck(beginning);
  let previous: Numbered | null = null;
  // A line is known to be the last one only when no other follows.
  for await (const line of numbered) {
    if (previous) check.add(read(proofLine, previous), previous.number);
    previous = line;
  }
  if (!previous) throw notOne(2, 'the file ends without the head of its proof');
  const ending = read(proofEnding, previous);
  return { beginning, ending, problems: check.end(ending) };
}

interface Numbered {
  readonly number: number;
  readonly text: string;
}

async function* numberedFrom(lines: AsyncIterable<string>): AsyncGenerator<Numbered, void> {
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() !== '') yield { number, text };
  }
}

function read<T>(shape: ZodType<T>, { number, text }: Numbered): T {
  const parsed = shape.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw notOne(number, `${place === '' ? 'the line' : place}: ${issue?.message ?? 'not valid'}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notOne(number: number, why: string) {
  const message = `It is no line of a proof, as \`wms campaign proof --out\` writes them: ${why}.`;
  const problem: FieldProblem = { path: `line ${number}`, rule: 'malformed', message };
  return validation([problem]);
}
