/** Rules as people write them: the database keeps the names of a condition in an order of its own. */
export const rulesText = (rules: unknown): string => JSON.stringify(rules, inOrder, 2);

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('field' in value)) return value;
  const { field, ...others } = value;
  if (!('op' in others)) return value;
  const { op, ...more } = others;
  return { field, op, ...more };
}
