import type { Keyring } from '../crypto/keyring.ts';
import { AppError, validation } from '../errors.ts';
import { canonicalJson } from './body/json.ts';
import type { RawQuery } from './query.ts';
import type { PageRequest, Position } from './route.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** The longest names the last template of a page by a number, a name of 512 letters and a language. */
const MAX_CURSOR = 1_024;
const VERSION = 'v1';

/** What a cursor is good for: one workspace, one list, one set of filters. */
export interface CursorPlace {
  readonly organizationId: string;
  /** With the ids in it. */
  readonly path: string;
  readonly query: RawQuery;
}

/** What a list is asked for; `requireLimit` is still to come. 400 for what cannot be read. */
export function pageRequest(keyring: Keyring, place: CursorPlace): PageRequest {
  const { limit, cursor } = place.query;
  return {
    limit: parseLimit(limit),
    after: cursor === undefined ? null : open(keyring, cursor, place),
  };
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new AppError('bad_request', 'limit must be a whole number.', { path: 'limit' });
}

/** The range of a limit that could be read: 422, which comes after the scope. */
export function requireLimit({ limit }: PageRequest): void {
  if (limit >= 1 && limit <= MAX_LIMIT) return;
  const [rule, bound] = limit < 1 ? (['min', 1] as const) : (['max', MAX_LIMIT] as const);
  const message = `Must be from 1 to ${MAX_LIMIT}.`;
  throw validation([{ path: 'limit', rule, limit: bound, message }]);
}

/** `v1.<payload>.<mac>`: callers can read it, and cannot change it or use it anywhere else. */
export function sealCursor(keyring: Keyring, position: Position, place: CursorPlace): string {
  const payload = Buffer.from(JSON.stringify([position.id, position.at])).toString('base64url');
  const mac = keyring.hmac('cursor', signed(payload, place));
  return `${VERSION}.${payload}.${mac.toString('base64url')}`;
}

function open(keyring: Keyring, cursor: string, place: CursorPlace): Position {
  const [version, payload, tag, ...rest] = cursor.length > MAX_CURSOR ? [] : cursor.split('.');
  if (version !== VERSION || !payload || !tag || rest.length > 0) throw invalidCursor();
  const given = Buffer.from(tag, 'base64url');
  // Base64url has more than one spelling of the same bytes; only ours is ours.
  if (given.toString('base64url') !== tag) throw invalidCursor();
  if (!keyring.verifies('cursor', signed(payload, place), given)) throw invalidCursor();
  const [id, at] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string | null,
  ];
  return { id, at };
}

function signed(payload: string, { organizationId, path, query }: CursorPlace): string {
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  return canonicalJson([payload, organizationId, path, filters]);
}

const invalidCursor = (): AppError =>
  new AppError(
    'invalid_cursor',
    'This cursor is not one of this list with these filters. Begin again without it.',
  );
