import { describe, expect, it } from '@jest/globals';
import { aForm, PHONE } from '../support/factories/forms.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFormScene, openPage } from './support/scene.ts';

const scene = opened(aFormScene);

const call = (method: string, path: string, key = scene.key, body?: unknown) =>
  scene.api.call(method, `/api/v1/forms${path}`, { key, body });

describe('publishing a form', () => {
  it('puts it live at the address that is answered, and unpublishing takes it down', async () => {
    const { id } = await aForm(scene.ctx, { draft: true });
    const path = `/f/${id}`;
    expect((await openPage(scene, path)).status).toBe(404);

    const published = await call('POST', `/${id}/publish`);
    expect(published.body).toEqual({ id, status: 'published', url: `http://api.test${path}` });
    expect((await openPage(scene, path)).status).toBe(200);

    const down = await call('POST', `/${id}/unpublish`);
    expect(down.body).toMatchObject({ id, status: 'unpublished', url: null });
    expect((await openPage(scene, path)).status).toBe(404);
    expect((await call('POST', `/${id}/publish`)).status).toBe(200);
  });

  it('is refused from where it makes no sense, and says from where it does', async () => {
    const { id } = await aForm(scene.ctx, { draft: true });

    const early = await call('POST', `/${id}/unpublish`);
    await call('POST', `/${id}/publish`);
    const again = await call('POST', `/${id}/publish`);

    expect([early.status, early.body.error.details]).toEqual([
      409,
      { status: 'draft', allowed: ['published'] },
    ]);
    expect([again.status, again.body.error.details]).toEqual([
      409,
      { status: 'published', allowed: ['draft', 'unpublished'] },
    ]);
  });

  it('happens once when it is asked for many times at once', async () => {
    const { id } = await aForm(scene.ctx, { draft: true });

    const replies = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', `/${id}/publish`)),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });
});

describe('editing a form', () => {
  it('counts the version up when something changed, and changes a published form at once', async () => {
    const { id } = await aForm(scene.ctx, { title: 'Cadastro' });

    const same = await call('PATCH', `/${id}`, scene.key, { title: 'Cadastro' });
    const changed = await call('PATCH', `/${id}`, scene.key, { title: 'Inscrição', tag: 'site' });

    expect(same.body).toMatchObject({ version: 1, status: 'published' });
    expect(changed.body).toMatchObject({ version: 2, title: 'Inscrição', tag: 'site' });
    expect((await openPage(scene, `/f/${id}`)).html).toContain('<h1>Inscrição</h1>');
  });

  it('is written down with what it was before', async () => {
    const { id } = await aForm(scene.ctx, { thanks: 'Oi' });
    await call('PATCH', `/${id}`, scene.key, { thanks: null, fields: [PHONE] });

    const [entry] = await rowsOf<{ action: string; changes: { field: string }[] }>(
      scene.ctx,
      `select action, changes from audit_entries where target->>'id' = $1 order by seq desc limit 1`,
      [id],
    );
    expect(entry?.action).toBe('form.updated');
    expect(entry?.changes.map(({ field }) => field)).toEqual(['fields', 'thanks']);
  });
});

describe('who may see and change forms', () => {
  it('lets an Agent and a Viewer read, and neither change', async () => {
    const { id } = await aForm(scene.ctx);
    for (const role of ['agent', 'viewer'] as const) {
      const { token } = await aMember(scene.ctx, { role, console: true });

      expect((await call('GET', '', token)).status).toBe(200);
      expect((await call('GET', `/${id}/submissions`, token)).status).toBe(200);
      const refused = await call('POST', `/${id}/unpublish`, token);
      expect([refused.status, refused.body.error.details]).toEqual([
        403,
        { permission: 'forms.write' },
      ]);
    }
  });

  it('lists forms newest first, by state', async () => {
    const older = await aForm(scene.ctx);
    const newer = await aForm(scene.ctx, { draft: true });

    const all = await call('GET', '?limit=2');
    const drafts = await call('GET', '?status=draft&limit=1');

    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual([newer.id, older.id]);
    expect(all.body.next_cursor).not.toBeNull();
    expect(drafts.body.data.map(({ id }: { id: string }) => id)).toEqual([newer.id]);
  });
});
