import { describe, expect, it } from '@jest/globals';
import { guardsOf, setGuards } from '../../src/campaigns/limits/guards.ts';
import { effectOf } from '../../src/contacts/opt-outs/phrases.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(scene.ctx, text, params);

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
    expect(log.text).toContain('/audit?action=workspace.updated"');
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

describe('the limits of campaigns', () => {
  const path = (): string => `${scene.base}/settings`;
  const guards = () =>
    inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      guardsOf(sql, scene.ctx.organizationId),
    );
  const quiet = { from: '21:00', to: '08:00' };
  const cap = { messages: 2, days: 7 };
  /** The form as it is shown, with these fields changed. */
  const write = async (fields: Record<string, string>) => {
    const { owner } = scene.people;
    const shown = filledIn((await owner.get(path())).text, 'guard');
    return owner.send(path(), 'guard', { ...shown, ...fields });
  };

  it('are seen and changed where the settings are, each by itself, and stand in the log', async () => {
    await setGuards(scene.ctx, { quiet: null, cap: null });

    const first = await write({ quiet_from: quiet.from, quiet_to: quiet.to });
    expect(first.status).toBe(303);
    expect(await guards()).toMatchObject({ quiet, cap: null });

    expect((await write({ cap_messages: '2', cap_days: '7' })).status).toBe(303);
    expect(await guards()).toMatchObject({ quiet, cap });
    const { text } = await scene.people.owner.get(path());
    expect(filledIn(text, 'guard')).toMatchObject({
      quiet_from: '21:00',
      quiet_to: '08:00',
      cap_messages: '2',
      cap_days: '7',
    });

    expect((await write({ quiet_from: '', quiet_to: '' })).status).toBe(303);
    expect(await guards()).toMatchObject({ quiet: null, cap });
    const log = await scene.people.owner.get(`${scene.base}/audit`);
    expect(log.text).toContain('/audit?action=campaign_settings.updated"');
    expect((await scene.people.agent.send(path(), 'guard', {})).status).toBe(403);
  });

  it('stay as somebody else set them meanwhile where nobody wrote', async () => {
    await setGuards(scene.ctx, { quiet: null, cap: null });
    const { owner } = scene.people;
    const shown = filledIn((await owner.get(path())).text, 'guard');
    await setGuards(scene.ctx, { quiet });

    await owner.send(path(), 'guard', { ...shown, cap_messages: '2', cap_days: '7' });

    expect(await guards()).toMatchObject({ quiet, cap });
  });

  it.each([
    ['quiet-from', { quiet_from: '21:00', quiet_to: '' }],
    ['quiet-from', { quiet_from: '21:00', quiet_to: '21:00' }],
    ['cap-messages', { cap_messages: '0', cap_days: '7' }],
    ['cap-days', { cap_messages: '2', cap_days: '' }],
  ])('are refused at %s with %j, which the form keeps', async (place, fields) => {
    await setGuards(scene.ctx, { quiet: { from: '22:00', to: '07:00' }, cap: null });
    const before = await guards();

    const { status, text } = await write(fields);

    expect(status).toBe(422);
    expect(text).toContain(`id="f-${place}-error"`);
    expect(filledIn(text, 'guard')).toMatchObject(fields);
    expect(await guards()).toEqual(before);
  });
});

describe('the opt-out phrases', () => {
  const path = (): string => `${scene.base}/settings/opt-out-phrases`;
  const meaning = (text: string) => transact(scene.ctx, (tx) => effectOf(tx, text));

  it('are seen with what they do, added, turned off and brought back, and stand in the log', async () => {
    const { admin, owner } = scene.people;
    expect((await owner.get(`${scene.base}/settings`)).text).toContain(`href="${path()}"`);
    expect((await admin.get(path())).text).toMatch(/<code>parar<\/code><\/td><td[^>]*>Opts out</);

    expect((await admin.send(path(), 'add', { phrase: 'Chega!', effect: 'out' })).status).toBe(303);
    expect((await admin.get(path())).text).toContain('“chega” is heard from now on.');
    expect(await meaning('CHEGA')).toBe('out');

    await admin.send(path(), 'add', { phrase: 'Quero de novo', effect: 'in' });
    expect(await meaning('quero de novo')).toBe('in');

    const canGo = async () => (await admin.get(path())).text.includes('value="remover"');
    expect(await canGo()).toBe(true);
    expect((await admin.send(path(), 'remove', { phrase: 'remover' })).status).toBe(303);
    expect(await meaning('remover')).toBeNull();
    expect(await canGo()).toBe(false);
    expect((await admin.get(path())).text).toMatch(
      /<code>remover<\/code><\/td><td[^>]*>Nothing: turned off here</,
    );

    await admin.send(path(), 'add', { phrase: 'remover', effect: 'out' });
    expect(await meaning('remover')).toBe('out');
    const log = await owner.get(`${scene.base}/audit`);
    expect(log.text).toContain('/audit?action=opt_out_phrase.added"');
    expect(log.text).toContain('/audit?action=opt_out_phrase.removed"');
    expect((await scene.people.agent.get(path())).status).toBe(403);
  });

  it('are refused without a letter or too long, beside the field, which keeps what was written', async () => {
    for (const wrong of ['!!!', 'x'.repeat(61)]) {
      const { status, text } = await scene.people.owner.send(path(), 'add', {
        phrase: wrong,
        effect: 'in',
      });

      expect(status).toBe(422);
      expect(text).toContain('id="f-phrase-error"');
      expect(filledIn(text, 'add')).toMatchObject({ phrase: wrong, effect: 'in' });
    }
  });
});
