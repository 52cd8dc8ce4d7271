import { z } from 'zod';
import { allowAdditions } from '../http/openapi/additions.ts';

/** JSON Schema (2020-12) of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly [key: string]: unknown;
}

/** Properties that only the OpenAPI document uses. */
const FOREIGN = ['param', 'header', 'override', 'example', 'examples'] as const;

/**
 * A schema for agents. They read it in every conversation, so a pattern that `format` already expresses is left out.
 * What they are given may have more fields and other values later. Throws unless it describes an object.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: json }) => {
      for (const name of FOREIGN) delete (json as Record<string, unknown>)[name];
      if (json.format) delete json.pattern;
      if (io === 'output') open(json);
    },
  });
  const root = resolved(made);
  if (root.type !== 'object') throw new TypeError('A tool takes and gives objects.');
  return { ...root, type: 'object' };
}

function open(json: z.core.JSONSchema.BaseSchema): void {
  allowAdditions(json);
  if (!json.enum) return;
  const values = json.enum.join(', ');
  json.description = [json.description, `One of: ${values}. More may be added.`]
    .filter(Boolean)
    .join(' ');
  delete json.enum;
}

/** A named schema is a reference into `$defs`, but the protocol expects the object itself. */
function resolved({ $ref, ...made }: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const named = $ref?.startsWith(DEFINITIONS) && made.$defs?.[$ref.slice(DEFINITIONS.length)];
  return named ? { ...named, ...made } : made;
}

const DEFINITIONS = '#/$defs/';
