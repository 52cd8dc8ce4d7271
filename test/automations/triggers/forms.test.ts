import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  aFormScene,
  answered,
  aPhone,
  type FormScene,
  freshCounters,
  submissionsOf,
} from '../../forms/support/scene.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aForm } from '../../support/factories/forms.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { type Acting, openActing } from './support/acting.ts';

let scene: FormScene;
let acting: Acting;
beforeAll(async () => {
  scene = await aFormScene();
  acting = openActing(scene.database, scene.ctx.organizationId);
});
beforeEach(() => freshCounters(scene.database));
afterAll(async () => {
  await acting.close();
  await scene.close();
});

const steps = [{ id: 'end', type: 'end' }];
const runsOf = (automationId: string) =>
  rowsOf<object>(scene.ctx, 'select id, trigger from automation_runs where automation_id = $1', [
    automationId,
  ]);

describe('a form that is sent', () => {
  it('starts what it names, whatever that listens for, and shows the run', async () => {
    const { id: automationId } = await anActiveAutomation(scene.ctx, {
      name: 'Nomeada',
      trigger: { type: 'manual' },
      steps,
    });
    const { id } = await aForm(scene.ctx, { automation: 'Nomeada' });
    const kept = await answered(scene, id, { whatsapp: aPhone().written });
    await acting.act();
    const [run] = await runsOf(automationId);
    expect(run).toMatchObject({ trigger: { type: 'form_submitted', ref: kept.id } });
    expect(await submissionsOf(scene, id)).toMatchObject([{ run_id: (run as { id: string }).id }]);
  });

  it('starts what listens for it, once even when it is named as well', async () => {
    const { id } = await aForm(scene.ctx, { automation: null });
    const listening = await anActiveAutomation(scene.ctx, {
      name: 'Ouvinte',
      trigger: { type: 'form_submitted', form_ids: [id] },
      steps,
    });
    const { id: other } = await aForm(scene.ctx, { automation: 'Ouvinte' });
    await answered(scene, id, { whatsapp: aPhone().written });
    await acting.act();
    expect(await runsOf(listening.id)).toHaveLength(1);
    await answered(scene, other, { whatsapp: aPhone().written });
    await acting.act();
    expect(await runsOf(listening.id)).toHaveLength(2);
    const both = await anActiveAutomation(scene.ctx, {
      name: 'Ambas',
      trigger: { type: 'form_submitted' },
      steps,
    });
    const { id: named } = await aForm(scene.ctx, { automation: 'Ambas' });
    await answered(scene, named, { whatsapp: aPhone().written });
    await acting.act();
    expect(await runsOf(both.id)).toHaveLength(1);
  });

  it('shows the run of what it names, though another that listens for it began first', async () => {
    const manual = { trigger: { type: 'manual' }, steps } as const;
    const listening = { trigger: { type: 'form_submitted' }, steps } as const;
    await anActiveAutomation(scene.ctx, { name: 'Primeira', ...listening });
    const named = await anActiveAutomation(scene.ctx, { name: 'Dela', ...manual });
    const { id } = await aForm(scene.ctx, { automation: 'Dela' });
    await answered(scene, id, { whatsapp: aPhone().written });
    await acting.act();
    const [own] = (await runsOf(named.id)) as { id: string }[];
    expect(await submissionsOf(scene, id)).toMatchObject([{ run_id: own?.id }]);
  });
});
