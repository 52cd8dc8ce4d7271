/**
 * Fields may be added to what we give at any time, so its schema forbids none: a program that checks by the schema
 * would refuse an answer after the work was done. Requests stay strict, and so does our own check of what we answer.
 */
export function allowAdditions(schema: { additionalProperties?: unknown }): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}
