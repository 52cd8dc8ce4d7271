/** Rules in the order people write them: the database stores an object's keys in its own order. */
export const rulesText = (rules: unknown): string => JSON.stringify(rules, inOrder, 2);

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('field' in value)) return value;
  const { field, ...others } = value;
  if (!('op' in others)) return value;
  const { op, ...more } = others;
  return { field, op, ...more };
}
