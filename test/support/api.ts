import { anApiKey } from './factories/api-keys.ts';
import { aWorkspace } from './factories/workspaces.ts';
import { openDoor, type Reply } from './http.ts';

/** A door with a workspace behind it, and a key of every scope. */
export async function openApi(overrides: Parameters<typeof openDoor>[0]) {
  const door = await openDoor(overrides);
  const { ctx, ownerId } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const call = (method: string, path: string, body?: unknown, by = key): Promise<Reply> =>
    door.api.call(method, `/api/v1${path}`, { key: by, body });
  return { ...door, ctx, ownerId, key, call };
}
