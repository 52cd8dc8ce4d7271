import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Blocks of jest by what they are; skipped, focused and planned ones are none. */
const KINDS: Readonly<Record<string, 'group' | 'test'>> = {
  describe: 'group',
  'describe.each': 'group',
  it: 'test',
  'it.each': 'test',
  test: 'test',
  'test.each': 'test',
};

/** `describe`, `it.each`, …, also where the table of `each` is given in a call or a template of its own. */
function kindOf({ expression }: ts.CallExpression): 'group' | 'test' | undefined {
  const callee = ts.isCallExpression(expression)
    ? expression.expression
    : ts.isTaggedTemplateExpression(expression)
      ? expression.tag
      : expression;
  return KINDS[callee.getText()];
}

/** The title as it is written: a template with its placeholders, as its source has them. */
function titleOf(node: ts.CallExpression): string | undefined {
  const [title] = node.arguments;
  if (!title || node.arguments.length < 2) return undefined;
  if (ts.isStringLiteralLike(title)) return title.text;
  return ts.isTemplateExpression(title) ? title.getText().slice(1, -1) : undefined;
}

/** The title of every test in a file behind those of the blocks around it: `a campaign › can be deleted`. */
export function testTitles(path: string): string[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: string[] = [];
  const visit = (node: ts.Node, around: readonly string[]): void => {
    let inside = around;
    const kind = ts.isCallExpression(node) ? kindOf(node) : undefined;
    const title = kind && ts.isCallExpression(node) ? titleOf(node) : undefined;
    if (title !== undefined) {
      inside = [...around, title];
      if (kind === 'test') found.push(inside.join(' › '));
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, []);
  return found;
}

/** Whether a full title ends with this one, at the edge of a block. */
export const isCalled = (full: string, title: string): boolean =>
  full === title || full.endsWith(` › ${title}`);
