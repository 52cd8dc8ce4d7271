import { afterEach, describe, expect, it } from '@jest/globals';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';

const scene = opened(openClockScene);
afterEach(() => scene.rows("update automations set status = 'inactive'"));

let people = 0;
const person = async (fields: object = {}): Promise<{ id: string; name: string }> =>
  aContact(scene.at(BEGIN), { name: `Pessoa ${String(++people).padStart(4, '0')}`, ...fields });

const segmentOf = async (tag: string): Promise<string> => {
  const rules = { field: 'tag', op: 'has_any', value: [tag] } as const;
  return (await aSegment(scene.at(BEGIN), { name: `Com ${tag}`, rules })).id;
};

describe('a segment', () => {
  it('is only remembered at first; then it starts for those who enter, or for those who leave', async () => {
    const segment_id = await segmentOf('clube');
    const ana = await person({ tags: ['clube'] });
    const bia = await person();
    const entered = await scene.automation({ type: 'segment_entered', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);
    await updateContact(scene.at(BEGIN), bia.id, { tags: ['clube'] });
    expect(await scene.look('2026-11-20T13:01:30Z')).toEqual([]);
    expect(await scene.look('2026-11-20T13:02:00Z')).toEqual([bia.name]);
    expect(await scene.look('2026-11-20T13:03:00Z')).toEqual([]);

    await deactivateAutomation(scene.at('2026-11-20T13:03:10Z'), entered, 'finish');
    await scene.automation({ type: 'segment_left', segment_id }, '2026-11-20T13:03:20Z');
    expect(await scene.look('2026-11-20T13:04:00Z')).toEqual([]);
    await updateContact(scene.at(BEGIN), ana.id, { tags: [] });
    expect(await scene.look('2026-11-20T13:05:00Z')).toEqual([ana.name]);
    await updateContact(scene.at(BEGIN), ana.id, { tags: ['clube'] });
    expect(await scene.look('2026-11-20T13:06:00Z')).toEqual([]);
  });

  it('is left by more people than a page in one look, each once', async () => {
    const segment_id = await segmentOf('muitos');
    await scene.rows(
      `insert into contacts (organization_id, id, name, tags, origin, created_via, created_at, updated_at)
       select organization_id, 'con_many' || lpad(n::text, 6, '0'), 'Muitos ' || n, '{muitos}', 'team', 'member', now(), now()
       from workspaces, generate_series(1, 501) n where organization_id = $1`,
      [scene.at(BEGIN).organizationId],
    );
    await scene.automation({ type: 'segment_left', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);
    await scene.rows("update contacts set tags = '{}' where name like 'Muitos %'");

    const left = await scene.look('2026-11-20T13:02:00Z');

    expect([left.length, new Set(left).size]).toEqual([501, 501]);
  });

  it('is remembered afresh after the automation was off', async () => {
    const segment_id = await segmentOf('férias');
    const id = await scene.automation({ type: 'segment_entered', segment_id });
    await scene.look('2026-11-20T13:01:00Z');
    await deactivateAutomation(scene.at('2026-11-20T13:02:00Z'), id, 'finish');
    await person({ tags: ['férias'] });
    await activateAutomation(scene.at('2026-11-20T14:02:00Z'), id);
    expect(await scene.look('2026-11-20T14:03:00Z')).toEqual([]);
    const bia = await person({ tags: ['férias'] });
    expect(await scene.look('2026-11-20T14:04:00Z')).toEqual([bia.name]);
  });

  it('is left by nobody who left it while the automation was off', async () => {
    const segment_id = await segmentOf('pausa');
    const { id: contactId } = await person({ tags: ['pausa'] });
    const id = await scene.automation({ type: 'segment_left', segment_id });
    await scene.look('2026-11-20T13:01:00Z');
    await deactivateAutomation(scene.at('2026-11-20T13:02:00Z'), id, 'finish');
    await updateContact(scene.at(BEGIN), contactId, { tags: [] });
    await activateAutomation(scene.at('2026-11-20T14:02:00Z'), id);

    expect(await scene.look('2026-11-20T14:03:00Z')).toEqual([]);
    expect(await scene.look('2026-11-20T14:04:00Z')).toEqual([]);
  });

  it('has a merged person in it since either of the two was', async () => {
    const segment_id = await segmentOf('fiel');
    const stays = await person();
    const goes = await person({ tags: ['fiel'] });
    const both = await person({ tags: ['fiel'] });
    const too = await person({ tags: ['fiel'] });
    await scene.automation({ type: 'segment_entered', segment_id });
    await scene.automation({ type: 'segment_left', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);

    await mergeContacts(scene.at('2026-11-20T13:01:10Z'), stays.id, goes.id);
    await mergeContacts(scene.at('2026-11-20T13:01:20Z'), both.id, too.id);

    expect(await scene.look('2026-11-20T13:02:00Z')).toEqual([]);
    await updateContact(scene.at(BEGIN), stays.id, { tags: [] });
    expect(await scene.look('2026-11-20T13:03:00Z')).toEqual([stays.name]);
    await updateContact(scene.at(BEGIN), stays.id, { tags: ['fiel'] });
    expect(await scene.look('2026-11-20T13:04:00Z')).toEqual([stays.name]);
  });

  it('is left by nobody who is merged into a person outside it', async () => {
    const rules = { field: 'name', op: 'starts_with', value: 'Rita' } as const;
    const segment_id = (await aSegment(scene.at(BEGIN), { name: 'Ritas', rules })).id;
    const stays = await person();
    const goes = await person({ name: 'Rita' });
    await scene.automation({ type: 'segment_left', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);

    await mergeContacts(scene.at('2026-11-20T13:01:10Z'), stays.id, goes.id);

    expect(await scene.look('2026-11-20T13:02:00Z')).toEqual([]);
  });

  it('of those written to in the last days is left by nobody who is written to while the clock looks', async () => {
    const rules = { field: 'last_outbound_at', op: 'in_last', value: 'P7D' } as const;
    const segment_id = (await aSegment(scene.at(BEGIN), { name: 'Ativos', rules })).id;
    const { id } = await person();
    const writtenTo = (at: string) =>
      scene.rows('update contacts set last_outbound_at = $2 where id = $1', [id, at]);
    await writtenTo('2026-11-20T12:00:00Z');
    await scene.automation({ type: 'segment_left', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);
    await writtenTo('2026-11-20T13:02:00.200Z');
    expect(await scene.look('2026-11-20T13:02:00Z')).toEqual([]);
  });

  it('whose rules take too long loses nobody: who entered before it was given up is started by the next', async () => {
    const segment_id = await segmentOf('lenta');
    const ana = await person({ tags: ['lenta'] });
    const id = await scene.automation({ type: 'segment_entered', segment_id });
    expect(await scene.look('2026-11-20T13:01:00Z')).toEqual([]);
    const bia = await person({ tags: ['lenta'] });
    await updateContact(scene.at(BEGIN), ana.id, { tags: [] });
    const { organizationId } = scene.at(BEGIN);
    await inWorkspace(scene.database, organizationId, async (sql) => {
      // Whoever waits for her row takes longer than a segment may.
      const hers = 'select from automation_segment_members where contact_id = $1 for update';
      await sql.rows(hers, [ana.id]);
      expect(await scene.look('2026-11-20T13:02:00Z')).toEqual([]);
    });
    expect(
      await scene.rows('select reason, count::int from automation_drops where automation_id = $1', [
        id,
      ]),
    ).toEqual([{ reason: 'segment_too_heavy', count: 1 }]);
    expect(await scene.look('2026-11-20T13:03:00Z')).toEqual([bia.name]);
  });
});
