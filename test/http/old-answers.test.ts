import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { deleteOldAnswers } from '../../src/http/idempotency.ts';
import { aCredential } from '../support/credentials.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

const HOUR_MS = 3_600_000;
const time = { offsetMs: 0 };

let door: OpenDoor;
beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + time.offsetMs), skewMs: 0 };
  door = await openDoor({ routes: noteRoutes, clock });
});
afterAll(() => door.close());

describe('the answers kept for an Idempotency-Key', () => {
  it('are deleted after 24 hours, and not earlier', async () => {
    const { key, organizationId } = await aCredential(door.database);
    for (const [name, ageMs] of [
      ['older', 30 * HOUR_MS],
      ['old', 24 * HOUR_MS + 60_000],
      ['young', 24 * HOUR_MS - 60_000],
    ] as const) {
      time.offsetMs = -ageMs;
      const headers = { 'idempotency-key': name };
      await door.api.call('POST', '/api/v1/notes', { key, headers, body: { name } });
    }

    while (await asSystem(door.database, deleteOldAnswers));

    const kept = await inWorkspace(door.database, organizationId, (sql) =>
      sql.rows('select key from idempotency_keys'),
    );
    expect(kept).toEqual([{ key: 'young' }]);
  });
});
