import type { Connection } from '@temporalio/client';

/** Temporal's numbers for the kinds of search attribute we use (IndexedValueType). */
const KEYWORD = 2;
const DATETIME = 6;

/** What operators filter runs by in the Temporal UI. */
const SEARCH_ATTRIBUTES = {
  WmsWorkspaceId: KEYWORD,
  WmsResourceId: KEYWORD,
  WmsStage: KEYWORD,
  WmsNextAt: DATETIME,
} as const;

const KINDS = { [KEYWORD]: 'Keyword', [DATETIME]: 'Datetime' };

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** gRPC's words for a server that answers and does not let us: PERMISSION_DENIED, UNIMPLEMENTED. */
const REFUSED: readonly unknown[] = [7, 12];

/** Attributes with their kinds, as a person makes them where we may not. */
export const inWords = (names: readonly Name[]): string =>
  names.map((name) => `${name} (${KINDS[SEARCH_ATTRIBUTES[name]]})`).join(', ');

/** Registers missing attributes. A server that has them already is not changed. */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(
    missing.map((name) => [name, SEARCH_ATTRIBUTES[name]]),
  );
  await connection.operatorService
    .addSearchAttributes({ namespace, searchAttributes })
    .catch((cause: { readonly code?: number }) => {
      if (!REFUSED.includes(cause.code)) throw cause;
      throw new Error(
        `Temporal lacks the search attributes ${inWords(missing)}, and lets nobody add them from here: make them in its UI.`,
        { cause },
      );
    });
}

/** Attributes of ours that the namespace lacks. Rejects while the server is down. */
export async function missingSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<Name[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(SEARCH_ATTRIBUTES) as Name[];
  return names.filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
}
