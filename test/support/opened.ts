import { afterAll, beforeAll } from '@jest/globals';

/**
 * What the tests of a file share: opened before the first of them, closed after the last.
 *
 * @returns empty until then; within hooks and tests it has all that was opened
 */
export function opened<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const shared = {} as T;
  beforeAll(async () => {
    Object.assign(shared, await open());
  });
  // Nothing is there to be closed if it could not be opened, which the tests say themselves.
  afterAll(() => shared.close?.());
  return shared;
}
