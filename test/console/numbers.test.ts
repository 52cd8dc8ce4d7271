import { describe, expect, it } from '@jest/globals';
import { setDailyLimit } from '../../src/campaigns/limits/daily-limit.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { addTeam } from '../../src/members/teams.ts';
import { updateNumber } from '../../src/numbers/changing.ts';
import { getNumber } from '../../src/numbers/reading.ts';
import { markNumberUnavailable } from '../../src/numbers/service.ts';
import { untilWaiting } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const stored = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getNumber({ ...scene.ctx, sql }, id),
  );
const placeOf = (id: string): string => `${scene.base}/numbers/${id}`;
const shownTo = async (who: 'admin' | 'owner', id: string) =>
  filledIn((await scene.people[who].get(placeOf(id))).text, 'save');

it('says to whom none is shown that theirs are fewer, not that the workspace has none', async () => {
  await aNumber(scene.ctx);
  const { id } = await aMember(scene.ctx, { role: 'admin', visibility: 'teams' });
  const narrow = await scene.visitor(id);

  for (const path of ['/numbers', '/reminders/new', '/campaigns/new']) {
    const { text } = await narrow.get(scene.base + path);
    expect([path, text.includes('You see only the numbers of')]).toEqual([path, true]);
    expect(text).not.toContain('Whoever operates this service');
  }
});

describe('a number in the console', () => {
  it('says how many messages campaigns send on it in a day, if there is a limit', async () => {
    const { id } = await aNumber(scene.ctx);
    const said = 'Messages of campaigns a day, at most';
    expect((await scene.people.viewer.get(placeOf(id))).text).not.toContain(said);

    await setDailyLimit(scene.ctx, id, 1_250);

    expect((await scene.people.viewer.get(placeOf(id))).text).toContain(
      `<dt>${said}</dt><dd>1,250</dd>`,
    );
  });

  it.each([
    ['held', 'holds all numbers for now', 'segura todos os números'],
    ['code_ready', 'Its code is ready', 'O código está pronto'],
    ['provisioning_timeout', 'not set up within ten minutes', 'Não ficou pronto em dez minutos'],
    ['pairing_expired', 'phone was not paired in time', 'não foi pareado a tempo'],
    ['whatsapp_131031', 'WhatsApp stopped it (code 131031)', 'O WhatsApp o parou (código 131031)'],
    ['partner_removed', 'no longer takes its access token', 'não aceita mais o token de acesso'],
    ['of_tomorrow', '<code>of_tomorrow</code>', '<code>of_tomorrow</code>'],
  ])('that is down as %s says why in words, in both languages', async (reason, en, pt) => {
    const { id } = await aNumber(scene.ctx);
    await transact(scene.ctx, (tx) =>
      markNumberUnavailable(tx, id, { status: 'disconnected', reason }),
    );
    const shown = (language: string) =>
      scene.people.viewer.get(placeOf(id), { 'accept-language': language });

    expect((await shown('en')).text).toContain(en);
    expect((await shown('pt-BR')).text).toContain(pt);
  });

  it('gets a name, teams, the stage of new people and opening hours', async () => {
    const { admin, viewer } = scene.people;
    const { id } = await aNumber(scene.ctx, { name: 'Vendas' });
    const { id: team } = await addTeam(scene.ctx, 'Balcão da frente');
    const stage = (await aPipeline(scene.ctx)).stages['Proposta'] ?? '';
    const shown = await shownTo('admin', id);
    const offersNoTeam = async () =>
      /name="default_team_id"[^>]*><option value=""/.test((await admin.get(placeOf(id))).text);
    expect(await offersNoTeam()).toBe(true);

    const saved = await admin.send(placeOf(id), 'save', {
      ...shown,
      ...{ name: 'Loja', team_ids: [team], default_team_id: team, stage_id: stage },
      ...{ schedule: 'weekly', from_0: '08:30', open_5: 'on', to_5: '12:00' },
    });

    expect(saved.status).toBe(303);
    const day = { open: true, from: '09:00', to: '18:00' };
    expect(await stored(id)).toMatchObject({
      ...{ name: 'Loja', team_ids: [team], default_team_id: team, stage_id: stage },
      hours: [
        { ...day, from: '08:30' },
        ...[day, day, day, day],
        { ...day, to: '12:00' },
        { ...day, open: false },
      ],
    });
    expect(await offersNoTeam()).toBe(false);
    const seen = await viewer.get(placeOf(id));
    for (const text of [
      'Balcão da frente',
      ': Proposta',
      'Monday: 08:30 to 18:00',
      'Sunday: closed',
    ])
      expect(seen.text).toContain(text);
    expect(seen.text).not.toContain(`<form method="post" action="${placeOf(id)}`);
  });

  it('gives up the stage of new people, and needs no times of a day that is closed', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Doces' });
    await updateNumber(scene.ctx, id, {
      stage_id: (await aPipeline(scene.ctx, 'Festas')).stages['Proposta'] ?? '',
    });
    const shown = await shownTo('admin', id);

    const saved = await scene.people.admin.send(placeOf(id), 'save', {
      ...{ ...shown, stage_id: '' },
      ...{ schedule: 'weekly', from_6: '', to_6: '' },
    });

    expect(saved.status).toBe(303);
    const { stage_id, hours } = await stored(id);
    expect([stage_id, hours?.[6]]).toEqual([null, { open: false, from: '00:00', to: '00:00' }]);
  });

  it('keeps what a colleague changed meanwhile', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Entregas' });
    const { id: first } = await addTeam(scene.ctx, 'Motos');
    const { id: second } = await addTeam(scene.ctx, 'Carros');
    const shown = await shownTo('owner', id);
    const hours = Array.from({ length: 7 }, () => ({ open: true, from: '00:00', to: '00:00' }));
    await updateNumber(scene.ctx, id, { team_ids: [first], default_team_id: first, hours });

    const saved = await scene.people.owner.send(placeOf(id), 'save', {
      ...shown,
      team_ids: [second],
      name: 'Entrega',
    });

    expect(saved.status).toBe(303);
    expect(await stored(id)).toMatchObject({
      ...{ name: 'Entrega', default_team_id: first, hours },
      team_ids: [first, second].sort(),
    });
  });

  it('keeps what a colleague is changing just then', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Pães' });
    const { id: first } = await addTeam(scene.ctx, 'Manhã');
    const { id: second } = await addTeam(scene.ctx, 'Tarde');
    const shown = await shownTo('owner', id);
    const { reply } = await transact(scene.ctx, async (tx) => {
      await updateNumber(tx, id, { team_ids: [first], default_team_id: first });
      const reply = scene.people.owner.send(placeOf(id), 'save', { ...shown, team_ids: [second] });
      await untilWaiting(scene.database.app);
      return { reply };
    });

    expect((await reply).status).toBe(303);
    expect((await stored(id)).team_ids).toEqual([first, second].sort());
  });

  it('keeps the days that a colleague changed while somebody changes others', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Sucos' });
    const day = { open: true, from: '09:00', to: '18:00' };
    const hours = Array.from({ length: 7 }, () => day);
    await updateNumber(scene.ctx, id, { hours });
    const shown = await shownTo('owner', id);
    const monday = { ...day, to: '17:00' };
    await updateNumber(scene.ctx, id, { hours: hours.with(0, monday) });

    await scene.people.owner.send(placeOf(id), 'save', { ...shown, from_4: '10:00' });

    const friday = { ...day, from: '10:00' };
    expect((await stored(id)).hours).toEqual(hours.with(0, monday).with(4, friday));
  });

  it('tells who changes a day that a colleague has made the number always open, and obeys them then', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Flores' });
    const day = { open: true, from: '09:00', to: '18:00' };
    const hours = Array.from({ length: 7 }, () => day);
    await updateNumber(scene.ctx, id, { hours });
    const shown = await shownTo('owner', id);
    await updateNumber(scene.ctx, id, { hours: null });

    const wish = { ...shown, from_4: '10:00' };
    const refused = await scene.people.owner.send(placeOf(id), 'save', wish);

    expect([refused.status, (await stored(id)).hours]).toEqual([409, null]);
    expect(refused.text).toContain('Somebody changed this after you opened the page.');
    const again = filledIn(refused.text, 'save');
    expect(again).toMatchObject({ schedule: 'weekly', from_4: '10:00' });
    expect((await scene.people.owner.send(placeOf(id), 'save', again)).status).toBe(303);
    expect((await stored(id)).hours).toEqual(hours.with(4, { ...day, from: '10:00' }));
  });

  it('refuses a day without a time and a team that is not its own, beside the fields, with all that was written', async () => {
    const { id } = await aNumber(scene.ctx, { name: 'Festas' });
    const { id: other } = await addTeam(scene.ctx, 'Salão');
    const shown = await shownTo('owner', id);
    const before = await stored(id);

    const noTime = await scene.people.owner.send(placeOf(id), 'save', {
      ...shown,
      ...{ name: 'Eventos', schedule: 'weekly', to_2: '' },
    });
    const noTeam = await scene.people.owner.send(placeOf(id), 'save', {
      ...shown,
      default_team_id: other,
    });

    expect([noTime.status, noTeam.status]).toEqual([422, 422]);
    expect(noTime.text).toContain('id="f-to-2-error"');
    expect(noTime.text).toContain(' value="Eventos"');
    expect(noTime.text).toContain('<a href="#f-hours">');
    expect(noTeam.text).toContain('id="f-default-team-id-error"');
    expect(await stored(id)).toEqual(before);
  });

  it('is shown to everybody in it, and changed only by those who may', async () => {
    const { agent } = scene.people;
    const { id } = await aNumber(scene.ctx, { name: 'Cursos' });

    const list = await agent.get(`${scene.base}/numbers`);
    const refused = await agent.send(placeOf(id), 'save', { name: 'X' });

    expect(list.text).toMatch(new RegExp(`<a href="${placeOf(id)}">Cursos</a>[^]*connected`));
    expect(refused.status).toBe(403);
    expect(await stored(id)).toMatchObject({ name: 'Cursos' });
  });

  it('of another workspace is neither shown nor changed', async () => {
    const other = await aWorkspace(scene.database);
    const { id } = await aNumber(other.ctx, { name: 'Segredo' });
    const { owner } = scene.people;
    const shown = await shownTo('owner', (await aNumber(scene.ctx)).id);

    const renamed = await owner.send(placeOf(id), 'save', { ...shown, name: 'Meu' });

    expect([renamed.status, (await owner.get(placeOf(id))).status]).toEqual([404, 404]);
    expect((await owner.get(`${scene.base}/numbers`)).text).not.toContain('Segredo');
    const own = await inWorkspace(scene.database, other.workspaceId, (sql) =>
      getNumber({ ...other.ctx, sql }, id),
    );
    expect(own.name).toBe('Segredo');
  });
});
