import { expect, it } from '@jest/globals';
import { anAutomation } from '../support/factories/automations.ts';
import { aForm } from '../support/factories/forms.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = (): string => `${scene.base}/automations`;

it('an automation can name whatever its fields ask for: the page says the ids, also of a new one', async () => {
  const { ctx, people } = scene;
  const { id: numberId } = await aNumber(ctx);
  const { id: memberId } = await aMember(ctx, { role: 'agent', teams: ['Doces'] });
  const form = await aForm(ctx);
  const segment = await aSegment(ctx);
  const pipeline = await aPipeline(ctx);
  const { id } = await anAutomation(ctx);

  for (const address of [`${list()}/new`, `${list()}/${id}`]) {
    const { text } = await people.admin.get(address);
    const said = text.matchAll(/<code>(\w+)<\/code><\/td><td data-label="Fields">(.*?)<\/td>/g);
    const fields = new Map(
      [...said].map(([, one, names = '']) => [one, names.replaceAll(/<.*?>/g, '')]),
    );
    expect(fields.get(numberId)).toBe('number_ids');
    expect(fields.get(memberId)).toBe('member_id');
    expect(fields.get(form.id)).toBe('form_ids');
    expect(fields.get(segment.id)).toBe('segment_id');
    expect(fields.get(pipeline.stages['Novo'])).toBe('stage_id, stage_ids');
    expect(fields.get(id)).toBe('automation_id');
    expect([...fields.values()]).toContain('team_id');
  }
  expect((await people.viewer.get(`${list()}/${id}`)).text).not.toContain(numberId);
});
