import type { LaterLine, Line, Proof, Section } from './lines.ts';

/** The title of a test behind those of the blocks around it. */
type FullTitle = (proof: Proof) => string;

const PREFACE = `# Coverage

Each line of the specification and of the design decisions beside the tests that prove it. This page is made by
\`test/coverage/coverage.test.ts\` from \`test/coverage/specification\`; the same test fails when a line has no proof,
when a proof is not there, when a route or an error code has no line, and when this page is not what it would make.
\`WRITE_COVERAGE=1 npm test -- test/coverage\` writes it anew. A \`%\` in a title stands for what its table of cases
gives.
`;

/** Bars would end a cell. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A title is text: what Markdown or HTML would read in it is taken as it is. */
const plain = (title: string): string => title.replaceAll(/[\u0060*_<]/g, '\\$&');

/** The tests of one file stand together. */
function proofsOf({ proofs }: Line, fullTitle: FullTitle): string {
  const files = [...new Set(proofs.map(({ file }) => file))];
  return files
    .map((file) => {
      const titles = proofs.filter((proof) => proof.file === file).map(fullTitle);
      return `[${file}](../test/${file}.test.ts): ${titles.map(plain).map(cell).join('; ')}`;
    })
    .join('<br>');
}

const table = ({ title, source, lines }: Section, fullTitle: FullTitle): string =>
  [
    `## ${title}`,
    '',
    `${source}.`,
    '',
    '| line | proved by |',
    '|---|---|',
    ...lines.map((line) => `| ${cell(line.line)} | ${proofsOf(line, fullTitle)} |`),
    '',
  ].join('\n');

const later = (lines: readonly LaterLine[]): string =>
  [
    '## Not built yet',
    '',
    'What the specification and the decisions name beyond this: none of it is an endpoint, limit, state or error that exists now.',
    '',
    '| line | comes with |',
    '|---|---|',
    ...lines.map(({ line, subject }) => `| ${cell(line)} | ${cell(subject)} |`),
    '',
  ].join('\n');

/** The page of coverage, as Markdown. */
export const renderPage = (
  sections: readonly Section[],
  notYet: readonly LaterLine[],
  fullTitle: FullTitle,
): string =>
  [PREFACE, ...sections.map((section) => table(section, fullTitle)), later(notYet)].join('\n');
