import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';

let files: TestDatabase;
let database: Database;
let api: TestApi;
let shop: Credential;

beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  api = await serveApi(database, { routes: noteRoutes });
  shop = await aCredential(database);
});

afterAll(async () => {
  await api.close();
  await database.close();
  await files.close();
});

describe('a call of the API', () => {
  it('creates, reads, changes and lists what belongs to the workspace of its key', async () => {
    const { key } = shop;

    const created = await api.call('POST', '/api/v1/notes', { key, body: { name: 'one' } });
    const path = `/api/v1/notes/${created.body.id}`;
    const renamed = await api.call('PATCH', path, { key, body: { name: 'two' } });
    const found = await api.call('GET', path, { key });
    const listed = await api.call('GET', '/api/v1/notes', { key });

    expect(created.status).toBe(201);
    expect(renamed.body).toEqual({ ...created.body, name: 'two' });
    expect(found.body).toEqual(renamed.body);
    expect(listed.body).toEqual({ data: [found.body], next_cursor: null });
  });
});
