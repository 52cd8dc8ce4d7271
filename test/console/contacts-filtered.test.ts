import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let owner: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  ({ id: owner } = await aMember(scene.ctx, { role: 'agent' }));
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/contacts`;

describe('the list of contacts', () => {
  const shown = async (query: string): Promise<string[]> => {
    const { text } = await scene.people.viewer.get(`${list()}?${query}`);
    return ['Ana', 'Bia', 'Caio'].filter((name) => text.includes(`>${name}</a>`));
  };

  it('is narrowed by tag, by who is in charge and by who wants no messages, alone and together', async () => {
    await aContact(scene.ctx, { name: 'Ana', tags: ['VIP'], owner_id: owner });
    await aContact(scene.ctx, { name: 'Bia', tags: ['vip'] });
    const { id: caio } = await aContact(scene.ctx, { name: 'Caio', owner_id: owner });
    await rowsOf(scene.ctx, 'update contacts set opted_out = true where id = $1', [caio]);

    expect(await shown('tag=vip')).toEqual(['Ana', 'Bia']);
    expect(await shown(`owner_id=${owner}`)).toEqual(['Ana', 'Caio']);
    expect(await shown('opted_out=true')).toEqual(['Caio']);
    expect(await shown('opted_out=false')).toEqual(['Ana', 'Bia']);
    expect(await shown(`q=a&tag=vip&owner_id=${owner}&opted_out=false`)).toEqual(['Ana']);
    // As a form sends the fields that stay empty, and what no list of ours has.
    expect(await shown('q=&tag=&owner_id=&opted_out=')).toEqual(['Ana', 'Bia', 'Caio']);
    expect(await shown('owner_id=mem_x&opted_out=maybe')).toEqual(['Ana', 'Bia', 'Caio']);
  });

  it('keeps the filters in its form, open while they narrow it', async () => {
    const { viewer } = scene.people;
    const plain = (await viewer.get(`${list()}?q=Ana`)).text;
    const { text } = await viewer.get(`${list()}?q=a&tag=vip&owner_id=${owner}&opted_out=true`);

    expect(plain).toContain('<details class="disclosure">');
    expect(text).toContain('<details class="disclosure" open>');
    expect(text).toMatch(/name="tag" type="text" value="vip"/);
    expect(text).toContain(`<option value="${owner}" selected>`);
    expect(text).toContain('<option value="true" selected>wants no messages</option>');
  });
});
