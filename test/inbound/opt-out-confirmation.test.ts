import { describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { factsOf } from '../support/rows-of.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

describe('a message that asks for no more messages', () => {
  it('is answered once in 24 hours, in the language of the workspace, and is still an event', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'Oi');
    const before = (await factsOf(scene.ctx, 'message.received')).length;

    await scene.writes(from, 'SAIR');
    await scene.writes(from, 'sair');
    const soon = await scene.standing(from);
    await scene.rows(
      "update contacts set opt_out_confirmed_at = now() - interval '25 hours' where phone = $1",
      [`+${from}`],
    );
    await scene.writes(from, 'Sair!');

    expect(soon?.said).toEqual([expect.stringContaining('VOLTAR')]);
    expect((await scene.standing(from))?.said).toHaveLength(2);
    expect(await factsOf(scene.ctx, 'message.received')).toHaveLength(before + 3);
    const queued = await scene.rows(
      `select o.message_id from outgoing_messages o join messages m on m.id = o.message_id
       where m.source = 'system' and m.contact_id = $1`,
      [soon?.id],
    );
    expect(queued).toHaveLength(2);
  });

  it('is not answered a second time within 24 hours because of a change of mind in between', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'SAIR');
    await scene.writes(from, 'VOLTAR');
    const before = (await scene.standing(from))?.said ?? [];

    await scene.writes(from, 'SAIR');

    const { said, opted_out } = (await scene.standing(from)) ?? {};
    expect(opted_out).toBe(true);
    expect(said).toEqual(before);
  });
});
