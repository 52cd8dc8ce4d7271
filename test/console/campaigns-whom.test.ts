import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../src/campaigns/audience/freezing.ts';
import type { CampaignInput } from '../../src/campaigns/draft/input.ts';
import { readCampaign } from '../../src/campaigns/reading.ts';
import {
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from '../../src/campaigns/states/transitions.ts';
import { deleteContact } from '../../src/contacts/deleting.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { contactsWith, ordinaryPhones } from '../campaigns/support/sending.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { rowsOf } from '../support/rows-of.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let segmentId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
  segmentId = (await aSegment(scene.ctx, { name: 'Clientes' })).id;
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/campaigns`;
const inScene = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, work);

/** A draft; its address. */
async function draftTo(wishes: Partial<CampaignInput>): Promise<{ id: string; address: string }> {
  const own = { number_id: numberId, contact_ids: [], ...wishes };
  const { id } = await aCampaign(scene.ctx, own);
  return { id, address: `${list()}/${id}` };
}

const toSegment = () => draftTo({ target: 'segment', segment_id: segmentId });

/** As the API makes none yet. */
async function draftToStages(pipelineId: string, stageIds: readonly unknown[]) {
  const draft = await toSegment();
  await inScene((sql) =>
    sql.rows(
      `update campaigns set target = 'pipeline', segment_id = null, pipeline_id = $2, stage_ids = $3
       where id = $1`,
      [draft.id, pipelineId, stageIds],
    ),
  );
  return draft;
}

describe('the page of a campaign names', () => {
  const shown = async (name: string, { address }: { address: string }): Promise<string> => {
    const { text } = await scene.people.viewer.get(address);
    return new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`).exec(text)?.[1] ?? '';
  };

  it('the number that it leaves by', async () => {
    expect(await shown('Sent by', await toSegment())).toMatch(/^Vendas, \+\d+$/);
  });

  it('whom it goes to, by a link where there is a page of it', async () => {
    const pipeline = await aPipeline(scene.ctx, 'Funil de maio');
    const { Novo, Proposta } = pipeline.stages;
    const group_ids = await Promise.all(
      ['Bairro & Cia', 'Escola'].map(
        async (name) => (await aGroupOf(scene.ctx, numberId, { name })).id,
      ),
    );
    const people = await contactsWith(scene.ctx, ordinaryPhones(4));

    const drafts = [
      await toSegment(),
      await draftTo({ target: 'groups', group_ids, text: 'Oi!', pace: 10 }),
      await draftTo({ contact_ids: people.slice(0, 2) }),
      await draftTo({ contact_ids: people }),
      await draftToStages(pipeline.id, [Proposta, Novo]),
    ];

    const { base } = scene;
    expect(await Promise.all(drafts.map((draft) => shown('To whom', draft)))).toEqual([
      `<a href="${base}/segments/${segmentId}">Segment: Clientes</a>`,
      'Groups: Bairro &amp; Cia, Escola',
      `<a href="${base}/contacts/${people[0]}">Cliente 1</a>, <a href="${base}/contacts/${people[1]}">Cliente 2</a>`,
      '4 contacts',
      `<a href="${base}/pipelines/${pipeline.id}">Pipeline: Funil de maio (Novo, Proposta)</a>`,
    ]);
  });
});

it('the page of a campaign that begins is loaded anew once it is written down who gets it', async () => {
  const { owner } = scene.people;
  const { id, address } = await toSegment();
  await sendCampaign(scene.ctx, id);
  const begun = (await owner.get(address)).text;

  await inScene((sql) => sql.rows('update campaigns set frozen_at = now() where id = $1', [id]));
  const frozen = await owner.get(`${address}?seen=freezing`);

  expect(begun).toContain(`hx-get="${address}?seen=freezing"`);
  expect(begun).not.toContain('/recipients"');
  expect(frozen.headers.get('hx-refresh')).toBe('true');
  expect(frozen.text).toContain(`${address}/recipients"`);
});

it('changing the text of a draft to more people than a form can list keeps all of them', async () => {
  const people = await contactsWith(scene.ctx, ordinaryPhones(1_001));
  const { id, address } = await draftTo({ contact_ids: people.slice(0, 1) });
  // As sending again to so many makes it.
  await inScene((sql) =>
    sql.rows('update campaigns set contact_ids = $2 where id = $1', [id, people]),
  );

  const form = formIn((await scene.people.owner.get(`${address}/edit`)).text, 'save');
  const sent = { ...form, action: 'save', text: 'Olá!', pace: '60' };
  const saved = await scene.people.owner.post(`${address}/edit`, sent);

  expect(saved.status).toBe(303);
  const { contact_ids, text } = await inScene((sql) =>
    readCampaign({ ...scene.ctx, sql, now: new Date() }, id),
  );
  expect([contact_ids, text]).toEqual([people, 'Olá!']);
});

it('the page of a scheduled campaign asks whether it still is, and nobody counts anew whom it would reach', async () => {
  const { owner } = scene.people;
  const { id, address } = await toSegment();
  const when = new Date(Date.now() + 86_400_000).toISOString();
  await scheduleCampaign(scene.ctx, id, { when });
  const [, asked = ''] = /hx-get="([^"]+)"/.exec((await owner.get(address)).text) ?? [];

  const meanwhile = await inScene(async (sql) => {
    await sql.rows('lock table contacts in access exclusive mode');
    return owner.get(asked);
  });
  await unscheduleCampaign(scene.ctx, id);
  const afterwards = await owner.get(asked);
  // As from a browser in which somebody writes in one of the page's forms.
  const written = await owner.get(`${asked}&action=test`, { 'accept-language': 'pt-BR' });

  expect(asked).toBe(`${address}?seen=scheduled`);
  expect(meanwhile.text).toContain('<div id="campaign" hx-get=');
  expect(meanwhile.headers.get('hx-refresh')).toBeNull();
  expect(afterwards.headers.get('hx-refresh')).toBe('true');
  expect(written.headers.get('hx-refresh')).toBeNull();
  expect(written.text).toContain(`hx-get="${asked}"`);
  expect(written.text).toContain('A campanha mudou de situação.');
});

describe('the recipients of a campaign', () => {
  const recipientsOf = async (
    wishes: Partial<CampaignInput>,
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<string> => {
    const { id, address } = await draftTo(wishes);
    await sendCampaign(scene.ctx, id);
    const { organizationId } = scene.ctx;
    const whenever = { now: () => new Date(), mayGoOn: () => true };
    await freezeAudience(scene.database, { organizationId, campaignId: id }, whenever);
    await meanwhile();
    return (await scene.people.viewer.get(`${address}/recipients`)).text;
  };

  it('are named, a contact by a link to its page', async () => {
    const { id } = await aContact(scene.ctx, { name: 'Bia & Filhos' });

    const text = await recipientsOf({ contact_ids: [id] });

    expect(text).toContain(`<a href="${scene.base}/contacts/${id}">Bia &amp; Filhos</a>`);
  });

  it('are named though they are groups, which have no phone', async () => {
    const { id } = await aGroupOf(scene.ctx, numberId, { name: 'Turma da escola' });

    const text = await recipientsOf({ target: 'groups', group_ids: [id], text: 'Oi!', pace: 10 });

    expect(text).toContain('Turma da escola');
  });

  it('are said to be gone, not out of the reach of WhatsApp, where we left them out', async () => {
    const { id } = await aContact(scene.ctx, { name: 'Duda' });

    const text = await recipientsOf({ contact_ids: [id] }, () => deleteContact(scene.ctx, id, []));

    expect(text).toContain('not there any more: deleted, merged');
    expect(text).not.toContain('WhatsApp could not reach');
  });
});

it('a campaign that was made a draft again does not seem to begin at its old time', async () => {
  const { id, address } = await draftTo({
    contact_ids: await contactsWith(scene.ctx, ordinaryPhones(1)),
    pace: 60,
  });
  const when = new Date(Date.now() + 40 * 86_400_000);
  // Another minute than that of its making, which is shown beside it.
  when.setUTCMinutes((when.getUTCMinutes() + 30) % 60, 0, 0);
  const minute = `:${when.toISOString().slice(14, 16)}`;
  await scheduleCampaign(scene.ctx, id, { when: when.toISOString() });
  const { owner } = scene.people;
  const shown = async (): Promise<string[]> =>
    Promise.all(
      [list(), address, `${address}/preview`].map(async (one) => (await owner.get(one)).text),
    );
  const [, scheduled, preview = ''] = await shown();
  expect(scheduled).toContain('<dt>Begins</dt>');

  await unscheduleCampaign(scene.ctx, id);
  const [all = '', own = '', afterwards = ''] = await shown();

  const row = all.split('<tr').find((one) => one.includes(id));
  expect([preview, afterwards].map((text) => text.includes('If it begins on'))).toEqual([
    false,
    true,
  ]);
  expect(own).not.toContain('<dt>Begins</dt>');
  expect(row).not.toContain(minute);
  const inSaoPaulo = new Date(when.getTime() - 3 * 3_600_000).toISOString().slice(0, 16);
  expect(formIn(own, 'schedule')['when']).toBe(inSaoPaulo);
  await rowsOf(scene.ctx, 'update campaigns set send_at = now() where id = $1', [id]);
  expect(formIn((await owner.get(address)).text, 'schedule')['when']).toBe('');

  await sendCampaign(scene.ctx, id);
  expect((await owner.get(address)).text).toContain('<dt>Began</dt>');
});

it('whoever sends a campaign is told how many it reaches now, not at the time of its preview', async () => {
  const { address } = await toSegment();
  const shown = async (): Promise<number> => {
    const { text } = await scene.people.owner.get(address);
    const [, count = ''] = /everybody whom it reaches now: ([\d,]+)\. Sent/.exec(text) ?? [];
    return Number(count.replace(',', ''));
  };
  await scene.people.owner.get(`${address}/preview`);
  await aContact(scene.ctx, { tags: ['vip'] });
  const before = await shown();

  for (let n = 0; n < 3; n += 1) await aContact(scene.ctx, { tags: ['vip'] });

  expect([before > 0, (await shown()) - before]).toEqual([true, 3]);
});
