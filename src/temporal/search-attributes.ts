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
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}

/** Attributes of ours that the namespace lacks. Rejects while the server is down. */
export async function missingSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<(keyof typeof SEARCH_ATTRIBUTES)[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(SEARCH_ATTRIBUTES) as (keyof typeof SEARCH_ATTRIBUTES)[];
  return names.filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
}
