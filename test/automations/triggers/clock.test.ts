import { afterEach, describe, expect, it } from '@jest/globals';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { runUpkeep } from '../../support/upkeep.ts';
import { openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';

const scene = opened(openClockScene);
afterEach(async () => {
  await scene.rows("update automations set status = 'inactive'");
  await scene.rows("update contacts set tags = '{}', birth_date = null, custom = '{}'");
});

let people = 0;
const person = async (fields: object = {}): Promise<{ id: string; name: string }> =>
  aContact(scene.at(BEGIN), { name: `Pessoa ${String(++people).padStart(4, '0')}`, ...fields });

const segmentOf = async (tag: string): Promise<string> => {
  const rules = { field: 'tag', op: 'has_any', value: [tag] } as const;
  return (await aSegment(scene.at(BEGIN), { name: `Com ${tag}`, rules })).id;
};

const dailyAtEleven = (segment_id: string) =>
  ({ type: 'schedule', segment_id, repeat: 'daily', time: '11:00' }) as const;

const drops = (id: string) =>
  scene.rows('select reason, count::int from automation_drops where automation_id = $1', [id]);

describe('a schedule', () => {
  it('starts for everybody in the segment at its local time, once, however often it is looked at', async () => {
    const segment_id = await segmentOf('agenda');
    await scene.automation(dailyAtEleven(segment_id));
    const ana = await person({ tags: ['agenda'] });
    const bia = await person({ tags: ['agenda'] });
    await person();
    expect(await scene.look('2026-11-20T13:59:59Z')).toEqual([]);
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual([ana.name, bia.name]);
    expect(await scene.look('2026-11-20T14:00:30Z')).toEqual([]);
    expect(await scene.look('2026-11-20T14:01:00Z')).toEqual([]);
    expect(await scene.look('2026-11-21T14:00:10Z')).toEqual([ana.name, bia.name]);
  });

  it('goes through more people than a page, each once', async () => {
    const segment_id = await segmentOf('muitos');
    await scene.automation(dailyAtEleven(segment_id));
    await scene.rows(
      `insert into contacts (organization_id, id, name, tags, origin, created_via, created_at, updated_at)
       select organization_id, 'con_many' || lpad(n::text, 6, '0'), 'Muitos ' || n, '{muitos}', 'team', 'member', now(), now()
       from workspaces, generate_series(1, 1203) n where organization_id = $1`,
      [scene.at(BEGIN).organizationId],
    );
    const found = await scene.look('2026-11-20T14:00:00Z');
    expect(found).toHaveLength(1203);
    expect(new Set(found).size).toBe(1203);
    expect(await scene.look('2026-11-20T14:01:00Z')).toEqual([]);
  });

  it('starts up to an hour late, and passes over what is later', async () => {
    const segment_id = await segmentOf('tarde');
    const id = await scene.automation(dailyAtEleven(segment_id));
    const ana = await person({ tags: ['tarde'] });
    expect(await scene.look('2026-11-20T15:00:00Z')).toEqual([ana.name]);
    expect(await scene.look('2026-11-21T15:01:00Z')).toEqual([]);
    expect(await drops(id)).toEqual([{ reason: 'missed', count: 1 }]);
    expect(await scene.look('2026-11-22T14:00:00Z')).toEqual([ana.name]);
  });

  it('tries its people again the next minute if they take too long to find, up to an hour', async () => {
    const rules = { field: 'deal.status', op: 'has_none', value: ['won'] } as const;
    const segment_id = (await aSegment(scene.at(BEGIN), { name: 'Sem venda', rules })).id;
    const trigger = dailyAtEleven(segment_id);
    const id = await scene.automation(trigger);
    await person({ tags: ['lenta'] });
    const lookWhileSlow = (moment: string): Promise<void> =>
      inWorkspace(scene.database, scene.at(BEGIN).organizationId, async (sql) => {
        await sql.rows('lock table deals in access exclusive mode');
        expect(await scene.look(moment)).toEqual([]);
      });

    await lookWhileSlow('2026-11-20T14:00:00Z');
    expect(await drops(id)).toEqual([{ reason: 'segment_too_heavy', count: 1 }]);
    expect((await scene.look('2026-11-20T14:01:00Z')).length).toBeGreaterThan(0);
    expect(await scene.look('2026-11-20T14:02:00Z')).toEqual([]);

    await lookWhileSlow('2026-11-21T14:00:00Z');
    await lookWhileSlow('2026-11-21T15:00:00Z');
    expect(await drops(id)).toContainEqual({ reason: 'missed', count: 1 });
    expect(await scene.look('2026-11-21T15:01:00Z')).toEqual([]);
    expect((await scene.look('2026-11-22T14:00:00Z')).length).toBeGreaterThan(0);
  });

  it('misses the rest of a day whose pages an outage of more than an hour came between', async () => {
    const segment_id = await segmentOf('pane');
    const id = await scene.automation(dailyAtEleven(segment_id));
    const ana = await person({ tags: ['pane'] });
    const bia = await person({ tags: ['pane'] });
    const halfWay = (until: string): Promise<unknown> =>
      scene.rows(
        `update automation_clocks set seen_until = $2::timestamptz - interval '1 minute', look_until = $2, look_after = $3,
           seen_day = ($2::timestamptz at time zone 'America/Sao_Paulo')::date where automation_id = $1`,
        [id, until, ana.id],
      );
    await scene.look('2026-11-20T13:59:00Z');

    await halfWay('2026-11-20T14:00:00Z');
    expect(await scene.look('2026-11-20T15:00:00Z')).toEqual([bia.name]);
    await halfWay('2026-11-21T14:00:00Z');
    expect(await scene.look('2026-11-21T15:01:00Z')).toEqual([]);
    expect(await drops(id)).toEqual([{ reason: 'missed', count: 1 }]);
    // The next day begins with its first person.
    await halfWay('2026-11-22T14:00:00Z');
    expect(await scene.look('2026-11-23T14:00:00Z')).toEqual([ana.name, bia.name]);
  });

  it('leaves out and counts who wants no messages, where saying something is the first thing', async () => {
    const segment_id = await segmentOf('saiu');
    const trigger = dailyAtEleven(segment_id);
    const ana = await person({ tags: ['saiu'] });
    const bia = await person({ tags: ['saiu'] });
    await scene.rows('update contacts set opted_out = true where id = $1', [bia.id]);
    const say = { id: 'say', type: 'send_message', text: 'Oi!', next: 'end' };
    const speaks = await scene.automation(trigger, BEGIN, say);
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual([ana.name]);
    expect(await drops(speaks)).toEqual([{ reason: 'opted_out', count: 1 }]);

    await scene.rows("update automations set status = 'inactive'");
    const tag = { id: 'tag', type: 'add_tag', tag: 'hoje', next: 'end' };
    await scene.automation(trigger, BEGIN, tag);
    expect(await scene.look('2026-11-20T14:00:00Z')).toEqual([ana.name, bia.name]);
  });

  it('does not start for what was due before it was turned on, or while it was off', async () => {
    const segment_id = await segmentOf('desligada');
    const id = await scene.automation(dailyAtEleven(segment_id), '2026-11-20T14:00:20Z');
    const ana = await person({ tags: ['desligada'] });
    expect(await scene.look('2026-11-20T14:01:00Z')).toEqual([]);
    await deactivateAutomation(scene.at('2026-11-21T13:50:00Z'), id, 'finish');
    await activateAutomation(scene.at('2026-11-21T14:10:00Z'), id);
    expect(await scene.look('2026-11-21T14:11:00Z')).toEqual([]);
    expect(await scene.look('2026-11-22T14:00:00Z')).toEqual([ana.name]);
  });

  it('keeps the local time where clocks change', async () => {
    await scene.rows("update workspaces set time_zone = 'America/New_York'");
    const segment_id = await segmentOf('relógio');
    await scene.automation(
      { type: 'schedule', segment_id, repeat: 'daily', time: '02:30' },
      '2027-03-13T12:00:00Z',
    );
    const ana = await person({ tags: ['relógio'] });
    // 02:30 does not exist on that day: 03:30 of the summer's time.
    expect(await scene.look('2027-03-14T07:29:00Z')).toEqual([]);
    expect(await scene.look('2027-03-14T07:30:00Z')).toEqual([ana.name]);
    expect(await scene.look('2027-03-15T06:30:00Z')).toEqual([ana.name]);
    await scene.rows("update workspaces set time_zone = 'America/Sao_Paulo'");
  });
});

describe('a date of a contact', () => {
  it('starts so many days before the birthday, every year, 29 February on 28', async () => {
    await scene.automation({
      type: 'date_field',
      field: 'birth_date',
      offset_days: -7,
      time: '09:00',
    });
    const ana = await person({ birth_date: '1990-11-28' });
    const leap = await person({ birth_date: '2000-02-29' });
    await person({ birth_date: '1990-11-29' });
    expect(await scene.look('2026-11-21T12:00:00Z')).toEqual([ana.name]);
    expect(await scene.look('2027-02-21T12:00:00Z')).toEqual([leap.name]);
    expect(await scene.look('2027-11-21T12:00:00Z')).toEqual([ana.name]);
  });

  it('starts on the day of a custom field once, when it is not kept every year', async () => {
    await scene.automation({
      type: 'date_field',
      field: 'custom.delivery',
      every_year: false,
      offset_days: 1,
      time: '09:00',
    });
    const ana = await person({ custom: { delivery: '2026-11-21' } });
    await person({ custom: { delivery: 'amanhã' } });
    expect(await scene.look('2026-11-21T12:00:00Z')).toEqual([]);
    expect(await scene.look('2026-11-22T12:00:00Z')).toEqual([ana.name]);
    expect(await scene.look('2027-11-22T12:00:00Z')).toEqual([]);
  });
});

describe('the Schedule of each minute', () => {
  it('goes through the workspaces and starts what is due', async () => {
    const segment_id = await segmentOf('minuto');
    const id = await scene.automation(dailyAtEleven(segment_id));
    const ana = await person({ tags: ['minuto'] });
    await runUpkeep({
      workflow: 'startDueAutomations',
      history: 'start-due-automations',
      database: scene.database,
      now: new Date('2026-11-20T14:00:00Z'),
    });
    expect(
      await scene.rows('select automation_id, contact_id, trigger from automation_triggers'),
    ).toEqual([
      {
        automation_id: id,
        contact_id: ana.id,
        trigger: { type: 'schedule', ref: segment_id },
      },
    ]);
  });
});
