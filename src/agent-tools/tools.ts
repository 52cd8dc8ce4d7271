import { z } from 'zod';
import type { MemberActor } from '../access/actor.ts';
import { permissionOf } from '../access/scopes.ts';
import { IDEMPOTENCY_KEY } from '../http/idempotency.ts';
import type { Route } from '../http/route.ts';
import type { IdPrefix } from '../ids.ts';
import { CATALOGUE, type Effect, type ToolText } from './catalogue.ts';
import { jsonSchema, type ObjectSchema } from './json-schema.ts';

/** An API operation as a tool: the same scope, permission, schemas and handler. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly route: Route;
  /** The names of the path's ids among the arguments: `campaign_id`. */
  readonly idNames: readonly string[];
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  readonly annotations: ToolHints;
}

interface ToolHints {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const ID_NAMES: Readonly<Partial<Record<IdPrefix, string>>> = {
  atm: 'automation_id',
  cmp: 'campaign_id',
  cnv: 'conversation_id',
  con: 'contact_id',
  dea: 'deal_id',
  dlv: 'delivery_id',
  frm: 'form_id',
  grp: 'group_id',
  mem: 'member_id',
  msg: 'message_id',
  pip: 'pipeline_id',
  rem: 'reminder_id',
  rrn: 'run_id',
  seg: 'segment_id',
  team: 'team_id',
  whk: 'webhook_id',
};

/** The tools of the catalogue, made from the routes that are served. Throws for a tool without a route. */
export function createTools(routes: readonly Route[]): ReadonlyMap<string, Tool> {
  const byOperation = new Map(routes.map((route) => [route.operationId, route]));
  const tools = CATALOGUE.map((text) => {
    const route = byOperation.get(text.operation);
    if (!route) throw new TypeError(`No route is called ${text.operation}.`);
    return toolOf(text, route);
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(text: ToolText, route: Route): Tool {
  const { operation, title, effect, hint } = text;
  const idNames = [route.id, route.part].flatMap((prefix) => (prefix ? [idName(prefix)] : []));
  const summary = route.summary.replace(/\.?$/, '.');
  return {
    name: operation,
    title,
    description: hint ? `${summary} ${hint}` : summary,
    effect,
    route,
    idNames,
    input: jsonSchema(inputOf(route, idNames, text), 'input'),
    output: jsonSchema(outputOf(route, text), 'output'),
    annotations: { title, ...HINTS[effect] },
  };
}

function idName(prefix: IdPrefix): string {
  const name = ID_NAMES[prefix];
  if (!name) throw new TypeError(`No argument is called after ${prefix}.`);
  return name;
}

const paging = {
  limit: z.int().min(1).max(100).default(50).describe('Records on a page.'),
  cursor: z.string().optional().describe('The `next_cursor` of the previous page.'),
};

const repeatable = {
  idempotency_key: z
    .string()
    .min(1)
    .max(200)
    .regex(IDEMPOTENCY_KEY)
    .optional()
    .describe(
      'Makes a repeat safe: the first answer to a key is repeated for 24 hours. Letters, digits, "-" and "_".',
    ),
};

function inputOf(
  route: Route,
  idNames: readonly string[],
  { effect, brief }: ToolText,
): z.ZodObject {
  const ids = Object.fromEntries(idNames.map((name) => [name, z.string()]));
  const own = route.kind === 'write' ? route.body?.shape : route.query?.shape;
  const taken = idNames.find((name) => own && Object.hasOwn(own, name));
  if (taken) throw new TypeError(`${route.operationId} has two arguments called ${taken}.`);
  const beside = route.kind === 'list' ? paging : effect === 'read' ? {} : repeatable;
  return z.strictObject({ ...ids, ...listed(own, brief), ...beside });
}

function outputOf(route: Route, { brief }: ToolText): z.ZodType {
  if (route.kind === 'list')
    return z.strictObject({ data: z.array(route.item), next_cursor: z.string().nullable() });
  if (!brief || !(route.reply instanceof z.ZodObject)) return route.reply;
  return z.strictObject(listed(route.reply.shape, brief));
}

/** What may be left out of the operation's own may be left out of the brief ones too. */
function listed(shape: z.ZodRawShape = {}, brief: ToolText['brief'] = {}): z.ZodRawShape {
  const replaced = Object.entries(brief).flatMap(([name, field]) => {
    const { [name]: own } = shape;
    if (!own) return [];
    return [[name, z.safeParse(own, undefined).success ? field.optional() : field]];
  });
  return { ...shape, ...Object.fromEntries(replaced) };
}

const HINTS: Readonly<Record<Effect, Omit<ToolHints, 'title'>>> = {
  read: hints(true, false, true, false),
  add: hints(false, false, false, false),
  change: hints(false, false, true, false),
  end: hints(false, true, true, false),
  send: hints(false, true, false, true),
};

function hints(
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
): Omit<ToolHints, 'title'> {
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

/** Whether the token has the scope and the person the permissions; other tools are neither listed nor performed. */
export function mayUse({ route }: Tool, { app, permissions }: MemberActor): boolean {
  if (!app?.scopes.has(route.scope) || !permissions.has(permissionOf(route.scope))) return false;
  return route.permission === undefined || permissions.has(route.permission);
}
