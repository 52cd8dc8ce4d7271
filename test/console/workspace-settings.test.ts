import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

const rows = <R>(text: string, params: unknown[] = []): Promise<R[]> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => sql.rows<R>(text, params));

describe('the settings of a workspace', () => {
  it('are changed by whoever manages it, hold at once, and stand in the log', async () => {
    const path = `${scene.base}/settings`;
    const name = 'Padaria Boreal';
    const given = { name, time_zone: 'America/Manaus', language: 'en-US', idle_close_hours: '48' };

    const { status } = await scene.people.admin.send(path, 'save', given);

    expect(status).toBe(303);
    expect(
      await rows('select name, time_zone, language, idle_close_hours as hours from workspaces'),
    ).toEqual([{ name, time_zone: 'America/Manaus', language: 'en-US', hours: 48 }]);
    const { text } = await scene.people.admin.get(path);
    expect(text).toContain('The settings are saved.');
    expect(text).toContain('<p class="workspace">Padaria Boreal<');
    for (const value of Object.values(given)) expect(text).toContain(` value="${value}"`);
    expect((await scene.people.agent.get(path)).status).toBe(403);
    const log = await scene.people.owner.get(`${scene.base}/audit`);
    expect(log.text).toContain('<code>workspace.updated</code>');
  });

  it.each([
    ['name', '\u200b'],
    ['time_zone', '-03:00'],
    ['language', 'português'],
    ['idle_close_hours', '721'],
    ['idle_close_hours', 'dois'],
  ])(
    'are refused with a wrong %s beside its field, which keeps what was written',
    async (name, wrong) => {
      const path = `${scene.base}/settings`;
      const before = await rows(
        'select name, time_zone, language, idle_close_hours from workspaces',
      );
      const given = {
        name: 'Padaria',
        time_zone: 'America/Bahia',
        language: 'pt-BR',
        idle_close_hours: '',
      };

      const { status, text } = await scene.people.owner.send(path, 'save', {
        ...given,
        [name]: wrong,
      });

      expect(status).toBe(422);
      expect(text).toMatch(new RegExp(`id="f-${name.replaceAll('_', '-')}-error"`));
      expect(text).toContain(` value="${wrong}"`);
      expect(
        await rows('select name, time_zone, language, idle_close_hours from workspaces'),
      ).toEqual(before);
    },
  );
});
