import { describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, play } from './support/scene.ts';

const stage = opened(openRunStage);

const AI = { id: 'a', type: 'ai_reply', goal: 'Sell.', next: 'end', on_handover: null };
const hello = { id: 'a', type: 'send_message', text: 'Olá!', next: 'end' };

describe('texts of a run', () => {
  it('are filled in for the contact', async () => {
    const scene = await aRunScene(stage, {
      contact: {
        name: ' Ana  Maria Souza',
        phone: '+5511987654321',
        email: 'ana@example.com',
        custom: { size: 'G', cakes: ['limão', 'coco'], seven: 7, empty: '' },
      },
    });
    const messageId = await scene.hears('{{phone}} preço?');
    const fill = async (text: string): Promise<string | undefined> => {
      await play(scene, [{ ...hello, text }], { messageId });
      return (await scene.said()).at(-1);
    };

    expect(await fill('Oi {{first_name}}, {{ name }}!')).toBe('Oi Ana, Ana  Maria Souza!');
    expect(await fill('{{phone}} {{email}}')).toBe('+5511987654321 ana@example.com');
    expect(await fill('{{custom.size}} {{custom.cakes}} {{custom.seven}}')).toBe('G limão, coco 7');
    expect(await fill('[{{custom.nothing}}]')).toBe('[]');
    expect(await fill('{{custom.nothing| amigo }} {{custom.empty|vazio}}')).toBe('amigo vazio');
    // What the person wrote is no text of ours.
    expect(await fill('"{{message.text}}"')).toBe('"{{phone}} preço?"');
    expect(await fill('{{custom.constructor}}{{custom.constructor|ok}}')).toBe('ok');
  });

  it('mention what an earlier step left', async () => {
    const scene = await aRunScene(stage);
    const steps = [
      { id: 'q', type: 'wait_for_reply', timeout: 'P1D', next: 'a', on_timeout: 'a' },
      { ...hello, text: '{{step.q.answer|nada}}, {{message.text|nada}}' },
    ];
    const runId = await scene.start(steps);
    await scene.advance(runId);
    await scene.hears('Bolo de cenoura');
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['Bolo de cenoura, Bolo de cenoura']);
  });

  it('are cut to what WhatsApp takes, and are nothing when nothing is left of them', async () => {
    const scene = await aRunScene(stage, { contact: { custom: { long: '€'.repeat(2_000) } } });
    await play(scene, [{ ...hello, text: '{{custom.long}}{{custom.long}}{{custom.long}}' }]);
    expect((await scene.said())[0]).toBe('€'.repeat(4_096));

    const { status, code } = await play(scene, [{ ...hello, text: ' {{custom.none}}' }]);

    expect([status, code]).toEqual(['failed', 'send_failed']);
    expect(await scene.said()).toHaveLength(1);
  });

  it('that show as nothing once they are filled in, by invisible characters too, are not sent', async () => {
    const scene = await aRunScene(stage, { contact: { custom: { hidden: '\u200b\u2060' } } });
    const fails = async (step: object): Promise<unknown> => (await play(scene, [step])).code;

    expect(await fails({ ...hello, text: '{{custom.hidden}}' })).toBe('send_failed');
    const parameters = ['{{custom.hidden}}'];
    const template = { id: 'a', type: 'send_template', name: 'oi', language: 'pt_BR', next: 'end' };
    expect(await fails({ ...template, parameters })).toBe('send_failed');
    expect(await scene.said()).toEqual([]);
  });

  it.each([
    [{ ...hello, text: '\u200b ' }, 'text'],
    [{ ...AI, goal: '\u200b' }, 'goal'],
    [{ id: 'a', type: 'add_tag', tag: '\u200b', next: 'end' }, 'tag'],
  ])(
    'that show as nothing since before this was an issue end the run with the name of what is blank: %j',
    async (step, name) => {
      const scene = await aRunScene(stage);
      const automationId = await scene.publish([{ ...hello, text: 'Olá!' }]);
      await scene.rows(
        `with written as (
           insert into automation_versions (organization_id, automation_id, version, definition, created_at)
           select organization_id, automation_id, version + 1, jsonb_set(definition, '{steps}', $2::jsonb), created_at
           from automation_versions where automation_id = $1)
         update automations set version = version + 1 where id = $1`,
        automationId,
        JSON.stringify([step, { id: 'end', type: 'end' }]),
      );

      const runId = await scene.begin(automationId);
      await scene.advance(runId);

      const [run] = await scene.rows('select status, error from automation_runs');
      const message = `The step's ${name} shows as nothing.`;
      expect(run).toMatchObject({ status: 'failed', error: { code: 'definition_error', message } });
      expect(await scene.said()).toEqual([]);
    },
  );
});
