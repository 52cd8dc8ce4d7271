import { describe, expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

describe('send_media', () => {
  const file = async (scene: RunScene, kind = 'image', state = 'kept'): Promise<void> => {
    await scene.rows(
      `insert into media (organization_id, id, kind, name, type, size, sha256, state, created_at)
       values ($1, 'med_menu', $2, 'menu', 'x/y', 10, 'abc', $3, now())`,
      scene.ctx.organizationId,
      kind,
      state,
    );
  };
  const media = { id: 'a', type: 'send_media', media_id: 'med_menu', next: 'end' };

  it('sends the file with its caption filled in', async () => {
    const scene = await aRunScene(stage, { contact: { name: 'Zoe' } });
    await file(scene);

    await play(scene, [{ ...media, text: 'Para {{name}}' }]);

    expect(await scene.rows('select type, text, media_id as file from messages')).toEqual([
      { type: 'image', text: 'Para Zoe', file: 'med_menu' },
    ]);
  });

  it.each([
    ['is gone', 'image', 'gone'],
    ['takes no caption', 'audio', 'kept'],
  ])('fails the run when the file %s', async (_, kind, state) => {
    const scene = await aRunScene(stage);
    await file(scene);
    const runId = await scene.start([{ ...media, text: 'Oi' }]);
    await scene.rows(
      state === 'gone' ? 'delete from media' : 'update media set kind = $1',
      ...(state === 'gone' ? [] : [kind]),
    );

    await scene.advance(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'definition_error' });
    expect(await scene.said()).toEqual([]);
  });
});

describe('send_template', () => {
  const template = {
    id: 'a',
    type: 'send_template',
    name: 'pronto',
    language: 'pt_BR',
    next: 'end',
    parameters: ['{{first_name}}', '{{custom.order|0}}'],
  };

  it('arrives outside the window, each parameter on one line', async () => {
    const scene = await aRunScene(stage, {
      number: { window: true },
      contact: { name: 'Zoe Lima', custom: { order: 'bolo\n\n e   pão' } },
    });

    expect((await play(scene, [template])).status).toBe('succeeded');

    expect(await scene.rows('select type, template from messages')).toEqual([
      {
        type: 'template',
        template: { name: 'pronto', language: 'pt_BR', parameters: ['Zoe', 'bolo e pão'] },
      },
    ]);
  });

  it('is not sent with an empty parameter', async () => {
    const scene = await aRunScene(stage);

    const { status, code } = await play(scene, [{ ...template, parameters: ['{{email}}'] }]);

    expect([status, code]).toEqual(['failed', 'send_failed']);
    expect(await scene.said()).toEqual([]);
  });

  it('is not sent when the number has no such approved template', async () => {
    const scene = await aRunScene(stage);
    const runId = await scene.start([template]);
    await scene.rows(
      'insert into template_syncs (organization_id, number_id, due_at, synced_at) values ($1, $2, now(), now())',
      scene.ctx.organizationId,
      scene.numberId,
    );

    await scene.advance(runId);

    expect(await scene.run(runId)).toMatchObject({ status: 'failed', code: 'definition_error' });
  });
});
