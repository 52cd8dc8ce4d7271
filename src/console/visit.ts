import type { KnownToken } from '../http/callers/authenticate.ts';
import type { Framed } from '../http/framed.ts';
import type { Session } from '../people/sessions.ts';
import type { ConsoleParts } from './deps.ts';
import type { ConsolePage } from './page.ts';
import type { FoundPage } from './table.ts';

export interface Console {
  readonly parts: ConsoleParts;
  readonly pages: readonly ConsolePage[];
  readonly find: (path: string) => FoundPage | null;
}

/** A person's request for a page of one of their workspaces. */
export interface Visit extends Console, FoundPage {
  readonly http: Framed;
  readonly session: Session;
  readonly known: KnownToken;
  /** Below `/console/<organizationId>`. */
  readonly path: string;
}
