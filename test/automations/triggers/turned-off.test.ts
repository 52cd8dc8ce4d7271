import { afterEach, describe, expect, it } from '@jest/globals';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { transact } from '../../../src/db/transact.ts';
import { recordTrigger } from '../../../src/outbox/happenings.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

describe('what happens while an automation is off starts no run once it is on again', () => {
  it('when it is what the automation listens for', async () => {
    const id = await scene.automation('ouve', { type: 'message_received' });
    await deactivateAutomation(scene.ctx, id, 'finish');

    await scene.writes(scene.aPhone(), 'oi');
    await activateAutomation(scene.ctx, id);
    await scene.act();

    expect(await scene.runs('ouve')).toEqual([]);
  });

  it('when the automation is named', async () => {
    const automationId = await scene.automation('por nome', { type: 'manual' });
    const { id: contactId } = await aContact(scene.ctx);
    await deactivateAutomation(scene.ctx, automationId, 'finish');

    const trigger = { type: 'manual', ref: null };
    await transact(scene.ctx, (tx) =>
      recordTrigger(tx, { automationId, contactId, conversationId: null, trigger }),
    );
    await activateAutomation(scene.ctx, automationId);
    await scene.act();

    expect(await scene.runs('por nome')).toEqual([]);
  });
});
