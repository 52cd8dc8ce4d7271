import { afterEach, describe, expect, it } from '@jest/globals';
import { advanceRun } from '../../../src/automations/running/advance.ts';
import { closeConversation } from '../../../src/conversations/service.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

const END = { id: 'end', type: 'end' };
const ASK = [
  { id: 'ask', type: 'wait_for_reply', timeout: 'P1D', next: 'more', on_timeout: 'end' },
  { id: 'more', type: 'wait_for_reply', timeout: 'P1D', next: 'last', on_timeout: 'end' },
  { id: 'last', type: 'wait_for_reply', timeout: 'P1D', next: 'end', on_timeout: 'end' },
  END,
];

const says = async (from: string, text: string): Promise<void> => {
  await scene.writes(from, text);
  await scene.act();
};

/** What the questions of an automation took as their answers, in order. */
async function heardBy(name: string): Promise<string[]> {
  const steps = await scene.rows<{ answer: string }>(
    `select s.output->>'answer' as answer from automation_run_steps s join automation_runs r on r.id = s.run_id
     join automations a on a.id = r.automation_id where a.name = $1 and s.output ? 'answer' order by s.seq`,
    [name],
  );
  return steps.map(({ answer }) => answer);
}

describe('a message of a person', () => {
  it('starts what listens for its words, with the message behind the run', async () => {
    await scene.automation('preço', {
      type: 'message_received',
      match: 'contains_any',
      keywords: ['PREÇO'],
    });
    await scene.automation('horário', {
      type: 'message_received',
      match: 'contains_any',
      keywords: ['horário'],
    });
    const from = scene.aPhone();

    await says(from, 'Qual o preco, por favor?');

    const runs = await scene.runs();
    const [message] = await scene.rows<{ id: string; conversation_id: string }>(
      'select id, conversation_id from messages order by id desc limit 1',
    );
    expect(runs).toMatchObject([
      {
        automation: 'preço',
        conversation_id: message?.conversation_id,
        trigger: { type: 'message_received', ref: message?.id },
        status: 'succeeded',
        depth: 0,
      },
    ]);
  });

  it('keeps nothing for automations while none listens', async () => {
    await says(scene.aPhone(), 'oi');
    await scene.writes(scene.aPhone(), 'oi');
    expect(await scene.waiting()).toBe(0);
  });

  it('is the first message once, and opens the conversation again after it was closed', async () => {
    await scene.automation('primeira', { type: 'first_message' });
    await scene.automation('aberta', { type: 'conversation_opened' });
    const from = scene.aPhone();

    await says(from, 'oi');
    await says(from, 'tudo bem?');
    const [conversation] = await scene.rows<{ id: string }>(
      'select v.id from conversations v join contacts c on c.id = v.contact_id where c.phone = $1',
      [`+${from}`],
    );
    await closeConversation(scene.ctx, conversation?.id ?? '');
    // Older than the plan keeps them.
    await scene.rows('delete from messages where conversation_id = $1', [conversation?.id]);
    await says(from, 'voltei');

    expect(await scene.runs('primeira')).toHaveLength(1);
    expect(await scene.runs('aberta')).toMatchObject([
      { trigger: { type: 'conversation_opened', ref: conversation?.id } },
      { trigger: { type: 'conversation_opened', ref: conversation?.id } },
    ]);
  });

  it('that asks for no more messages starts nothing', async () => {
    await scene.automation('tudo', { type: 'message_received' });
    await says(scene.aPhone(), 'SAIR');
    expect(await scene.runs('tudo')).toEqual([]);
  });

  it('that asks for no more messages, or for them again, is no reply either', async () => {
    await scene.automation('pergunta', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    for (const text of ['começo', 'SAIR', 'VOLTAR', 'resposta']) await says(from, text);
    expect(await heardBy('pergunta')).toEqual(['resposta']);
  });

  it('that asks for them again is an ordinary message of whoever never left', async () => {
    await scene.automation('menu', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    for (const text of ['Inscrever', 'Voltar']) await says(from, text);
    expect(await heardBy('menu')).toEqual(['Voltar']);
  });

  it('that takes a reaction back starts nothing, is no reply and hides none', async () => {
    await scene.automation('reação', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    const reacts = async (emoji?: string): Promise<void> => {
      const reaction = { message_id: 'wamid.of.ours', ...(emoji && { emoji }) };
      await scene.writes(from, '', { type: 'reaction', reaction });
      await scene.act();
    };
    await reacts();
    expect(await scene.runs('reação')).toEqual([]);

    await says(from, 'começo');
    await reacts('👍');
    await scene.writes(from, 'resposta');
    await reacts();
    expect(await heardBy('reação')).toEqual(['👍', 'resposta']);
  });

  it('that edits an earlier one or takes it back starts nothing and is no reply', async () => {
    await scene.automation('edição', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    const original_message_id = 'wamid.of.theirs';
    const edits = async (body: string): Promise<void> => {
      const message = { type: 'text', text: { body } };
      await scene.writes(from, '', { type: 'edit', edit: { original_message_id, message } });
      await scene.writes(from, '', { type: 'revoke', revoke: { original_message_id } });
      await scene.act();
    };
    await edits('antes');
    expect(await scene.runs('edição')).toEqual([]);

    await says(from, 'começo');
    await edits('não é resposta');
    await says(from, 'resposta');
    expect(await heardBy('edição')).toEqual(['resposta']);
    const kept = await scene.rows(
      `select m.type, m.text from messages m join contacts c on c.id = m.contact_id
       where c.phone = $1 and m.direction = 'inbound' order by m.id`,
      [`+${from}`],
    );
    const takenBack = { type: 'edit', text: '' };
    expect(kept).toEqual([
      { type: 'edit', text: 'antes' },
      takenBack,
      { type: 'text', text: 'começo' },
      { type: 'edit', text: 'não é resposta' },
      takenBack,
      { type: 'text', text: 'resposta' },
    ]);

    await edits('PARAR');
    const people = await scene.rows('select opted_out from contacts where phone = $1', [
      `+${from}`,
    ]);
    expect(people).toEqual([{ opted_out: true }]);
  });

  it('goes to the run that waits for it, in order and each once, and starts nothing else', async () => {
    await scene.automation('conversa', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    await says(from, 'começo');
    await scene.automation('outra', { type: 'message_received' });

    for (const text of ['um', 'dois', 'três']) await scene.writes(from, text);
    await scene.act();

    const [run] = await scene.runs('conversa');
    expect(run).toMatchObject({ status: 'succeeded' });
    const steps = await scene.rows<{ step_id: string; output: { answer: string } | null }>(
      'select step_id, output from automation_run_steps where run_id = $1 order by seq',
      [run?.id],
    );
    expect(steps.map(({ step_id, output }) => [step_id, output?.answer])).toEqual([
      ['ask', 'um'],
      ['more', 'dois'],
      ['last', 'três'],
      ['end', undefined],
    ]);
    expect(await scene.runs('outra')).toEqual([]);

    await says(from, 'quatro');
    expect(await scene.runs('outra')).toHaveLength(1);
  });

  it('waits while a run of the conversation asks a model, which may take it in', async () => {
    const talk = {
      id: 'talk',
      type: 'ai_reply',
      goal: 'Ajude.',
      max_turns: 2,
      on_handover: null,
      next: 'end',
    };
    await scene.automation('modelo', { type: 'message_received' }, { steps: [talk, END] });
    const from = scene.aPhone();
    await says(from, 'começo');
    await scene.automation('depois', { type: 'message_received' });
    await says(from, 'mais uma');
    expect(await scene.waiting()).toBe(1);
    expect(await scene.runs('depois')).toEqual([]);

    const [run] = await scene.runs('modelo');
    const ref = { organizationId: scene.ctx.organizationId, runId: run?.id ?? '' };
    // There is no model here, but what would have been its question had the message in it.
    expect(await advanceRun(scene.deps, ref, 'workflow')).toMatchObject({ stage: 'failed' });
    await scene.rows("update automation_triggers set not_before = '-infinity'");
    await scene.act();
    expect([await scene.waiting(), await scene.runs('depois')]).toEqual([0, []]);
    await says(from, 'e agora?');
    expect(await scene.runs('depois')).toHaveLength(1);
  });

  it('reaches the run in order when all are acted on at once', async () => {
    await scene.automation('ao mesmo tempo', { type: 'message_received' }, { steps: ASK });
    const from = scene.aPhone();
    await says(from, 'começo');
    for (const text of ['um', 'dois', 'três']) await scene.writes(from, text);

    await Promise.all([scene.act(), scene.act(), scene.act()]);

    const [run, second] = await scene.runs('ao mesmo tempo');
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(second).toBeUndefined();
    const steps = await scene.rows<{ answer: string }>(
      `select output->>'answer' as answer from automation_run_steps
       where run_id = $1 and type = 'wait_for_reply' order by seq`,
      [run?.id],
    );
    expect(steps.map(({ answer }) => answer)).toEqual(['um', 'dois', 'três']);
  });
});
