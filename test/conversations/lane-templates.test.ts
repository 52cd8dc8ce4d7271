import { describe, it } from '@jest/globals';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, rows, becomes } = laneScene();

describe('a message by template', () => {
  it('fills a template by the names of its parameters, where it has names', async () => {
    const { conversationId, numberId } = await aTalk();
    const components = [{ type: 'BODY', text: '{{nome}}, sua consulta é {{dia}}, {{nome}}.' }];
    await rows(
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       values ($1, $2, 'consulta', 'pt_BR', 'UTILITY', 'APPROVED', $3, now())`,
      [scene.ctx.organizationId, numberId, JSON.stringify(components)],
    );
    const template = { name: 'consulta', language: 'pt_BR', parameters: ['Ana', 'terça'] };
    const id = await say(conversationId, { text: '', template });
    await aRelay();

    await becomes(id, 'sent');
  });
});
