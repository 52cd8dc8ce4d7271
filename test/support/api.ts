import { anApiKey } from './factories/api-keys.ts';
import { aWorkspace } from './factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from './http.ts';

/** A workspace behind a door, with a key of every scope, by which it is called. */
export async function workspaceBehind(
  { database, api }: Pick<OpenDoor, 'database' | 'api'>,
  wishes?: Parameters<typeof aWorkspace>[1],
) {
  const { ctx, ownerId } = await aWorkspace(database, wishes);
  const { key } = await anApiKey(ctx);
  const call = (method: string, path: string, body?: unknown, by = key): Promise<Reply> =>
    api.call(method, `/api/v1${path}`, { key: by, body });
  return { ctx, ownerId, key, call };
}

export type BehindDoor = Awaited<ReturnType<typeof workspaceBehind>>;

/** A door with one workspace behind it. */
export async function openApi(overrides: Parameters<typeof openDoor>[0]) {
  const door = await openDoor(overrides);
  return { ...door, ...(await workspaceBehind(door)) };
}
