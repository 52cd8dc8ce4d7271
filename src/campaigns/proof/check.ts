import {
  type ChainedLine,
  firstLink,
  nextLink,
  noOutcomes,
  OUTCOMES,
  type ProofBeginning,
  type ProofEnding,
} from './chain.ts';

/** What is wrong in a proof, and where. */
export interface ProofProblem {
  /** The line in the file; null for problems of no particular line. */
  readonly line: number | null;
  readonly recipient_id: string | null;
  readonly rule: 'order' | 'chain' | 'audience' | 'count' | 'outcomes' | 'head';
  readonly message: string;
}

interface ProofCheck {
  /**
   * @param number of the line in its file, for the report
   */
  add(line: ChainedLine, number: number): void;
  /** Returns no problems if these are all the original lines. */
  end(ending: ProofEnding): readonly ProofProblem[];
}

/** For a file that is wrong throughout, the first problems are enough. */
const MOST_PROBLEMS = 100;

/**
 * Checks a proof line by line, without keeping the lines. After a break it continues from the hash found there, so
 * that each wrong place is reported and no others.
 */
export function createProofCheck(beginning: ProofBeginning): ProofCheck {
  const problems: ProofProblem[] = [];
  const outcomes = noOutcomes();
  let link = firstLink(beginning);
  let before = '';
  let count = 0;
  const note = (problem: ProofProblem): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  return {
    add(line, number) {
      const problem = problemOf(line, { link, before });
      if (problem) note({ line: number, recipient_id: line.recipient_id, ...problem });
      link = line.hash;
      before = before > line.recipient_id ? before : line.recipient_id;
      outcomes[line.outcome] += 1;
      count += 1;
    },
    end(ending) {
      const whole = [...sums(beginning, count), ...ends(ending, link, outcomes)];
      for (const problem of whole) note({ line: null, recipient_id: null, ...problem });
      return problems;
    },
  };
}

type Found = Pick<ProofProblem, 'rule' | 'message'>;

function problemOf(
  line: ChainedLine,
  { link, before }: { readonly link: string; readonly before: string },
): Found | null {
  if (line.recipient_id === before)
    return { rule: 'order', message: 'This recipient is there twice.' };
  if (line.recipient_id < before)
    return { rule: 'order', message: `It comes after ${before}, which should follow it.` };
  if (nextLink(link, line) === line.hash) return null;
  const message =
    'Its hash does not follow from the lines before it: it was changed, or a line before it was changed, moved or removed.';
  return { rule: 'chain', message };
}

function sums({ total, eligible, excluded }: ProofBeginning, count: number): Found[] {
  const leftOut = Object.values(excluded).reduce((sum, n) => sum + n, 0);
  const found: Found[] = [];
  if (total !== eligible + leftOut) {
    const message = `The audience of ${total} is not the ${eligible} who were to get it and the ${leftOut} who were left out.`;
    found.push({ rule: 'audience', message });
  }
  if (count !== eligible) {
    const message = `${eligible} were to get it, and there are ${count} lines.`;
    found.push({ rule: 'count', message });
  }
  return found;
}

function ends({ head, outcomes }: ProofEnding, link: string, counted: typeof outcomes): Found[] {
  const found = OUTCOMES.filter((outcome) => outcomes[outcome] !== counted[outcome]).map(
    (outcome): Found => ({
      rule: 'outcomes',
      message: `${outcomes[outcome]} are said to be ${outcome}, and ${counted[outcome]} lines are.`,
    }),
  );
  if (link === head) return found;
  const message = `The last line leads to ${link}, and the head is ${head}: lines at the end were changed or taken out.`;
  return [...found, { rule: 'head', message }];
}
