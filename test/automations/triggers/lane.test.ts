import { describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { takeMessage } from '../../../src/inbound/messages/receiving.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { eventually } from '../../support/waiting.ts';

const { scene, start } = relayScene();
const PEOPLE = 12;

describe('the lane of automations', () => {
  it('answers everybody who writes, and goes on with each reply, without a workflow', async () => {
    const { waker } = await start();
    const { ctx, workspaceId } = await aWorkspace(scene.database);
    const { id: numberId } = await aNumber(ctx);
    await anActiveAutomation(ctx, {
      name: 'Pergunta',
      trigger: { type: 'message_received', match: 'equals', keywords: ['oi'] },
      steps: [
        { id: 'ask', type: 'send_message', text: 'Qual o seu nome?', next: 'listen' },
        { id: 'listen', type: 'wait_for_reply', timeout: 'P1D', next: 'thank', on_timeout: 'end' },
        {
          id: 'thank',
          type: 'send_message',
          text: 'Obrigado, {{step.listen.answer}}!',
          next: 'end',
        },
        { id: 'end', type: 'end' },
      ],
    });
    const parts = {
      database: scene.database,
      wake: waker.wake,
      clock: { now: () => new Date(), skewMs: 0 },
    };
    const everybodyWrites = (text: (n: number) => string): Promise<unknown> =>
      Promise.all(
        Array.from({ length: PEOPLE }, (_, n) =>
          takeMessage(
            parts,
            { organizationId: workspaceId, numberId },
            {
              providerId: `wamid.${text(n)}.${n}`,
              type: 'text',
              text: text(n),
              media: null,
              replyTo: null,
              payload: null,
              lead: '',
              at: new Date(),
              groupId: null,
              waUserId: null,
              phone: `+55119840000${String(n).padStart(2, '0')}`,
              name: `Pessoa ${n}`,
            },
          ),
        ),
      );
    const said = (): Promise<{ text: string }[]> =>
      inWorkspace(scene.database, workspaceId, (sql) =>
        sql.rows<{ text: string }>("select text from messages where direction = 'outbound'"),
      );

    await everybodyWrites(() => 'oi');
    await eventually(async () => (await said()).length === PEOPLE);
    await everybodyWrites((n) => `Nome ${n}`);
    await eventually(async () => (await said()).length === 2 * PEOPLE);

    const thanks = (await said()).filter(({ text }) => text.startsWith('Obrigado'));
    expect(thanks.map(({ text }) => text).sort()).toEqual(
      Array.from({ length: PEOPLE }, (_, n) => `Obrigado, Nome ${n}!`).sort(),
    );
    await eventually(async () => {
      const ended = await inWorkspace(scene.database, workspaceId, (sql) =>
        sql.rows("select 1 from automation_runs where status = 'succeeded'"),
      );
      return ended.length === PEOPLE;
    });
  });
});
