import { z } from 'zod';

/** JSON Schema (2020-12) of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

/** What only the OpenAPI document reads. */
const FOREIGN = ['param', 'header', 'override', 'example', 'examples'] as const;

/**
 * A schema for agents: they read it with every conversation, so what its `format` says already is not
 * said again as a pattern. Throws unless it describes an object.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: json }) => {
      for (const name of FOREIGN) delete (json as Record<string, unknown>)[name];
      if (json.format) delete json.pattern;
    },
  });
  const root = resolved(made);
  if (root.type !== 'object') throw new TypeError('A tool takes and gives objects.');
  return { ...root, type: 'object' };
}

/** A schema with a name of its own is a reference into `$defs`; the protocol wants to see the object itself. */
function resolved({ $ref, ...made }: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const named = $ref?.startsWith(DEFINITIONS) && made.$defs?.[$ref.slice(DEFINITIONS.length)];
  return named ? { ...named, ...made } : made;
}

const DEFINITIONS = '#/$defs/';
