import { describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(() => openShell({ BASE_URL: 'https://mensagens.example' }));

const wms = (...args: string[]): Promise<Said> => shell.wms('form', ...args);

const form = {
  title: 'Cadastro',
  description: null,
  fields: [{ type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone', options: [] }],
  thanks: null,
  tag: null,
  automation: null,
};

describe('wms form', () => {
  it('drafts a form from a file, puts it live, lists it and takes it down', async () => {
    const { json: drafted } = await wms('create', '--file', shell.file(form));
    const { json: published } = await wms('publish', drafted.id);
    const { json: listed } = await wms('list');
    const { json: down } = await wms('unpublish', drafted.id);

    const url = `https://mensagens.example/f/${drafted.id}`;
    expect(published).toEqual({ id: drafted.id, status: 'published', url });
    expect(listed).toMatchObject([{ id: drafted.id, status: 'published', title: 'Cadastro', url }]);
    expect(down).toMatchObject({ id: drafted.id, status: 'unpublished', url: null });
  });

  it('says what is wrong, field by field', async () => {
    const refused = await wms('create', '--file', shell.file({ ...form, title: '' }));

    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json)).toContain('title');
  });
});
