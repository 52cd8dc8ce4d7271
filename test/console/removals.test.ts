import { describe, expect, it } from '@jest/globals';
import { removeAutomation } from '../../src/automations/removing.ts';
import { automationPatch } from '../../src/automations/schema.ts';
import { updateAutomation } from '../../src/automations/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { removeForm } from '../../src/forms/removing.ts';
import { removePipeline } from '../../src/pipelines/removing.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { untilWaiting } from '../support/database.ts';
import { anActiveAutomation, anAutomation } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm } from '../support/factories/forms.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

type Kind = 'automations' | 'forms' | 'pipelines';

const exists = async (kind: Kind, id: string): Promise<boolean> => {
  const { organizationId } = scene.ctx;
  const found = await inWorkspace(scene.database, organizationId, (sql) =>
    sql.rows(`select 1 from ${kind} where organization_id = $1 and id = $2`, [organizationId, id]),
  );
  return found.length === 1;
};

const made: Readonly<Record<Kind, (name: string) => Promise<{ readonly id: string }>>> = {
  automations: (name) => anAutomation(scene.ctx, { name }),
  forms: (title) => aForm(scene.ctx, { title, draft: true }),
  pipelines: (name) => aPipeline(scene.ctx, name),
};
const remove = { automations: removeAutomation, forms: removeForm, pipelines: removePipeline };
const pageOf = (kind: Kind, id: string): string =>
  `${scene.base}/${kind}/${id}${kind === 'pipelines' ? '/stages' : ''}`;

describe('what was never used', () => {
  it.each(Object.keys(made) as Kind[])('goes for good: one of the %s', async (kind) => {
    const { admin, owner, agent } = scene.people;
    const { id } = await made[kind]('Obras');
    expect((await admin.get(pageOf(kind, id))).text).toContain('value="delete"');
    expect((await agent.send(pageOf(kind, id), 'delete')).status).toBe(403);

    const { status, headers } = await admin.send(pageOf(kind, id), 'delete');

    expect([status, headers.get('location')]).toEqual([303, `${scene.base}/${kind}`]);
    expect(await exists(kind, id)).toBe(false);
    expect((await admin.get(`${scene.base}/${kind}`)).text).toContain('It is deleted.');
    const log = (await owner.get(`${scene.base}/audit`)).text;
    expect(log).toContain(`/audit?action=${kind.slice(0, -1)}.removed"`);
    // Its name is free again.
    await made[kind]('Obras');
  });

  it('goes though it names itself: an automation', async () => {
    const { id } = await made.automations('Sem fim');
    const start = { id: 'start', type: 'start_automation', automation_id: id, next: 'end' };
    const patch = automationPatch.parse({ steps: [start, { id: 'end', type: 'end' }] });
    await updateAutomation(scene.ctx, id, patch, { trustedOrigins: [] });

    await removeAutomation(scene.ctx, id);

    expect(await exists('automations', id)).toBe(false);
  });

  it.each(Object.keys(made) as Kind[])('belongs to its workspace: one of the %s', async (kind) => {
    const { ctx } = await aWorkspace(scene.database);
    const { id } = await made[kind]('De casa');

    await expect(remove[kind](ctx, id)).rejects.toMatchObject({ code: 'not_found' });

    expect(await exists(kind, id)).toBe(true);
  });
});

describe('what is used stays', () => {
  const refused = async (kind: Kind, id: string, code: string, says: string): Promise<void> => {
    await expect(remove[kind](scene.ctx, id)).rejects.toMatchObject({ code });
    const { status, text } = await scene.people.admin.send(pageOf(kind, id), 'delete');
    expect(status).toBe(409);
    expect(text).toContain(says);
    expect(await exists(kind, id)).toBe(true);
  };

  it('an automation that was ever on', async () => {
    const { id } = await anActiveAutomation(scene.ctx, { name: 'Ligada' });
    await refused('automations', id, 'invalid_state', 'active');
  });

  it('an automation that a form starts', async () => {
    const { id } = await anAutomation(scene.ctx, { name: 'Do formulário' });
    await aForm(scene.ctx, { automation: 'Do formulário' });
    await refused('automations', id, 'in_use', 'names this automation');
  });

  it('an automation that a form is given meanwhile, or the form is told that there is none', async () => {
    const { id } = await anAutomation(scene.ctx, { name: 'Apagada' });
    const { written } = await transact(scene.ctx, async (tx) => {
      await removeAutomation(tx, id);
      const written = aForm(scene.ctx, { automation: 'Apagada' }).catch((error: unknown) => error);
      await untilWaiting(scene.database.app);
      return { written };
    });
    expect(await written).toMatchObject({ code: 'unknown_automation' });
  });

  it('a form that was published', async () => {
    const { id } = await aForm(scene.ctx);
    await refused('forms', id, 'invalid_state', 'published');
  });

  it('a form that an automation names', async () => {
    const { id } = await aForm(scene.ctx, { draft: true });
    await anAutomation(scene.ctx, {
      name: 'Depois do formulário',
      trigger: { type: 'form_submitted', form_ids: [id] },
    });
    await refused('forms', id, 'in_use', 'names this form');
  });

  it('a pipeline with a deal, and one that a campaign was sent to', async () => {
    const sales = await aPipeline(scene.ctx, 'Com negócio');
    const { id: contactId } = await aContact(scene.ctx);
    await createDeal(scene.ctx, { contact_id: contactId, stage_id: sales.stages['Novo'] ?? '' });
    await refused('pipelines', sales.id, 'in_use', 'The pipeline is in use.');

    const sent = await aPipeline(scene.ctx, 'De campanha');
    const { id: number_id } = await aNumber(scene.ctx);
    const aim = { target: 'pipeline' as const, pipeline_id: sent.id, stage_ids: [] };
    await aCampaign(scene.ctx, { ...aim, number_id, contact_ids: [] });
    await refused('pipelines', sent.id, 'in_use', 'The pipeline is in use.');
  });
});
