import { afterEach, describe, expect, it } from '@jest/globals';
import { getAutomation } from '../../../src/automations/reading.ts';
import { readPatch, updateAutomation } from '../../../src/automations/service.ts';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { updateContact } from '../../../src/contacts/service.ts';
import { sqlOver } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { recordTrigger } from '../../../src/outbox/happenings.ts';
import { measures, noFigures } from '../../../src/relay/figures.ts';
import { statementsWaiting } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { eventually } from '../../support/waiting.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

const ANY = { type: 'message_received' };
const WAIT = [
  { id: 'wait', type: 'wait', duration: 'P1D', next: 'end' },
  { id: 'end', type: 'end' },
];

const says = async (from: string, text = 'oi'): Promise<void> => {
  await scene.writes(from, text);
  await scene.act();
};

/** As the API shows them. */
const drops = async (id: string): Promise<object> => {
  const { runs_dropped } = await transact(scene.ctx, (tx) => getAutomation(tx, id));
  return runs_dropped;
};

const aStatementWaits = async (): Promise<boolean> =>
  (await statementsWaiting(scene.stage.database.system)) > 0;

describe('the entry of an automation', () => {
  it('lets a contact in once at a time, and counts what it turns away', async () => {
    const id = await scene.automation('uma', ANY, { steps: WAIT });
    const from = scene.aPhone();
    for (let n = 1; n <= 3; n++) await says(from);
    expect(await scene.runs('uma')).toHaveLength(1);
    expect(await drops(id)).toEqual({ active_run: 2 });

    const figures = noFigures();
    const sql = sqlOver(scene.stage.database.system);
    await measures.drops(sql, figures);
    await measures.happenings(sql, figures);
    expect(figures.triggersDropped).toEqual({ active_run: 2 });
    expect(figures.oldestTriggerSeconds).toBe(0);
  });

  it('is that of the highest priority first: of two that would ask, only that one does', async () => {
    const asking = (text: string) => [
      { id: 'q', type: 'ask', text, timeout: 'P1D', next: 'end', on_timeout: 'end' },
      { id: 'end', type: 'end' },
    ];
    await scene.automation('pesquisa', ANY, { steps: asking('Gostou?') });
    const entry = { priority: 5 };
    await scene.automation('pedido', ANY, { steps: asking('Qual pedido?'), entry });
    const from = scene.aPhone();

    await says(from);

    const asked = await scene.rows(
      `select m.text from messages m join contacts c on c.id = m.contact_id
       where c.phone = $1 and m.direction = 'outbound'`,
      [`+${from}`],
    );
    expect(asked).toEqual([{ text: 'Qual pedido?' }]);
  });

  it('lets a contact in whose run was cancelled with the automation, though its row has not ended', async () => {
    const id = await scene.automation('outra vez', ANY, { steps: WAIT });
    const from = scene.aPhone();
    await says(from);
    await deactivateAutomation(scene.ctx, id, 'finish');
    // As for all but the first of many, which are ended behind the answer.
    await scene.rows('update automations set stopped_version = version where id = $1', [id]);
    await activateAutomation(scene.ctx, id);

    await says(from);

    const statuses = (await scene.runs('outra vez')).map(({ status }) => status);
    expect([statuses, await drops(id)]).toEqual([['cancelled', 'waiting'], {}]);
  });

  it('loses nobody who comes while its next version is published', async () => {
    const id = await scene.automation('nova', ANY);
    await updateAutomation(scene.ctx, id, readPatch({ steps: WAIT }), { trustedOrigins: [] });
    const coming = await transact(scene.ctx, async (tx) => {
      await activateAutomation(tx, id);
      const said = says(scene.aPhone());
      await eventually(aStatementWaits);
      return { said };
    });
    await coming.said;
    expect(await scene.runs('nova')).toMatchObject([{ status: 'waiting' }]);
    expect(await drops(id)).toEqual({});
  });

  it('lets a contact in never again, or after the days, as it says', async () => {
    const never = await scene.automation('nunca', ANY, { entry: { reentry: 'never' } });
    const later = await scene.automation('semana', ANY, {
      entry: { reentry: 'after_days', reentry_days: 7 },
    });
    const from = scene.aPhone();
    await says(from);
    await says(from);
    expect([await drops(never), await drops(later)]).toEqual([{ reentry: 1 }, { reentry: 1 }]);

    await scene.rows("update automation_runs set started_at = now() - interval '7 days'");
    await says(from);
    expect(await scene.runs('nunca')).toHaveLength(1);
    expect(await scene.runs('semana')).toHaveLength(2);
  });

  it('asks its conditions of the person and of the message', async () => {
    const id = await scene.automation('condições', ANY, {
      entry: {
        conditions: {
          all: [
            { field: 'tag', op: 'has_any', value: ['vip'] },
            { field: 'message.text', op: 'contains', value: 'bolo' },
          ],
        },
      },
    });
    const from = scene.aPhone();
    await says(from, 'um bolo');
    const [person] = await scene.rows<{ id: string }>('select id from contacts where phone = $1', [
      `+${from}`,
    ]);
    await updateContact(scene.ctx, person?.id ?? '', { tags: ['VIP'] });
    await says(from, 'outra coisa');
    expect(await scene.runs('condições')).toEqual([]);
    await says(from, 'um bolo');
    expect(await scene.runs('condições')).toHaveLength(1);
    expect(await drops(id)).toEqual({ conditions: 2 });
  });

  it('is silent where a person answers, until the conversation is closed, unless it says otherwise', async () => {
    const silent = await scene.automation('calada', ANY);
    await scene.automation('insistente', ANY, { entry: { skip_if_handled_by_member: false } });
    const from = scene.aPhone();
    await says(from);
    await scene.rows("update conversations set handled_by = 'member'");
    await says(from);
    expect(await drops(silent)).toEqual({ handled_by_member: 1 });
    expect(await scene.runs('insistente')).toHaveLength(2);
    await scene.rows(
      "update conversations set status = 'closed', closed_at = now(), handled_by = 'none'",
    );
    await says(from);
    expect(await scene.runs('calada')).toHaveLength(2);
  });

  it('asks who answers where the person was last written with, for a run without a conversation', async () => {
    const id = await scene.automation('etiqueta', { type: 'tag_added', tags: ['vip'] });
    const { id: contactId } = await aContact(scene.ctx);
    const begun = async (): Promise<string> =>
      aConversation(scene.ctx, { numberId: (await aNumber(scene.ctx)).id, contactId });
    const answered = await begun();
    await begun();
    await scene.rows(
      "update conversations set handled_by = 'member', created_at = now() - interval '1 day', last_message_at = now() where id = $1",
      [answered],
    );

    await updateContact(scene.ctx, contactId, { tags: ['vip'] });
    await scene.act();

    expect(await drops(id)).toEqual({ handled_by_member: 1 });
  });

  it('turns away whom the workspace has blocked', async () => {
    const id = await scene.automation('bloqueados', ANY);
    const from = scene.aPhone();
    await says(from);
    await scene.rows('update contacts set blocked = true where phone = $1', [`+${from}`]);
    await says(from);
    expect(await drops(id)).toEqual({ blocked: 1 });
  });

  it('starts no run by its own chain, and none deeper than five', async () => {
    const own = await scene.automation('própria', { type: 'tag_added', tags: ['a'] });
    const contact = await aContact(scene.ctx, { tags: [] });
    const by = (chain: string[]) => ({
      ...scene.ctx,
      actor: {
        type: 'automation' as const,
        id: own,
        name: 'própria',
        run: { id: 'run_of_before', chain },
      },
    });
    await updateContact(by(['atm_1', own]), contact.id, { tags: ['a'] });
    await updateContact(by([1, 2, 3, 4, 5, 6].map((n) => `atm_${n}`)), contact.id, { tags: ['b'] });
    await updateContact(by([1, 2, 3, 4, 5, 6].map((n) => `atm_${n}`)), contact.id, {
      tags: ['b', 'a'],
    });
    await scene.act();
    expect(await scene.runs('própria')).toEqual([]);
    expect(await drops(own)).toMatchObject({ own_chain: 1, too_deep: 1 });

    for (const chain of [['atm_1'], [1, 2, 3, 4, 5].map((n) => `atm_${n}`)]) {
      await updateContact(by(chain), contact.id, { tags: [] });
      await updateContact(by(chain), contact.id, { tags: ['a'] });
    }
    await scene.act();
    expect(await scene.runs('própria')).toMatchObject([
      { depth: 1, cause_run_id: 'run_of_before' },
      { depth: 5, cause_run_id: 'run_of_before' },
    ]);
  });

  it('is asked as well when another automation names it', async () => {
    const id = await scene.automation(
      'por nome',
      { type: 'manual' },
      { entry: { reentry: 'never' } },
    );
    const contact = await aContact(scene.ctx);
    const named = {
      automationId: id,
      contactId: contact.id,
      conversationId: null,
      trigger: { type: 'manual', ref: null },
    };
    for (let n = 1; n <= 2; n++) {
      await transact(scene.ctx, (tx) => recordTrigger(tx, named));
      await scene.act();
    }
    expect(await scene.runs('por nome')).toMatchObject([
      { trigger: { type: 'manual', ref: null }, status: 'succeeded', conversation_id: null },
    ]);
    expect(await drops(id)).toEqual({ reentry: 1 });
  });
});
