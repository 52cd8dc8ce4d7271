import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { getAutomation } from '../../src/automations/reading.ts';
import { readNewAutomation } from '../../src/automations/service.ts';
import { activateAutomation } from '../../src/automations/transitions.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { openOwnDatabase } from '../support/database.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { problems, withSteps } from './support/definitions.ts';

const database = opened(openOwnDatabase);
let ctx: Context;
let one: string;
let other: string;
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
  [one, other] = [(await aNumber(again())).id, (await aNumber(again())).id];
});

const again = (): Context => ({ ...ctx, em: ctx.em.fork() });
const rows = (text: string, params: unknown[]) => rowsOf(ctx, text, params);

const PEDIDO = [{ type: 'BODY', text: 'Olá {{1}}, seu pedido {{2}} está pronto.' }];
const PICTURED = [{ type: 'HEADER', format: 'IMAGE' }, ...PEDIDO];

/** The templates of a number, read just now. */
async function read(numberId: string, components: object[] | null = PEDIDO): Promise<void> {
  await rows('insert into template_syncs values ($1, $2, now(), now())', [
    ctx.organizationId,
    numberId,
  ]);
  if (components)
    await rows(
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       values ($1, $2, 'pronto', 'pt_BR', 'UTILITY', 'APPROVED', $3, now())`,
      [ctx.organizationId, numberId, JSON.stringify(components)],
    );
}

const step = {
  id: 'a',
  type: 'send_template',
  name: 'pronto',
  language: 'pt_BR',
  parameters: ['{{first_name}}', '7'],
  next: 'end',
};

/** What is said of the step, through these numbers. */
async function said(change: object = {}, number_ids: string[] = []): Promise<string[]> {
  const { issues } = await anAutomation(again(), {
    name: randomUUID(),
    trigger: { type: 'message_received', number_ids },
    steps: [
      { ...step, ...change },
      { id: 'end', type: 'end' },
    ],
  });
  return issues.map((issue) => [issue.severity, issue.code, issue.path].join(' '));
}

const ERROR = ['error unknown_reference steps[0].name'];
const WARNING = ['warning unknown_reference steps[0].name'];

describe('a template that an automation sends', () => {
  it('is known where the number has it approved, in this language and with these parameters', async () => {
    await read(one);
    await read(other);

    expect(await said()).toEqual([]);
    expect(await said({ name: 'pronta' })).toEqual(ERROR);
    expect(await said({ language: 'en_US' })).toEqual(ERROR);
    expect(await said({ parameters: ['7'] })).toEqual(ERROR);
    await rows("update templates set status = 'PAUSED'", []);
    expect(await said()).toEqual(ERROR);
  });

  it('is not known where it needs more than its body takes', async () => {
    await read(one, PICTURED);

    expect(await said({}, [one])).toEqual(ERROR);
  });

  it('is only warned of while one of the numbers may have it', async () => {
    await read(one, null);

    expect(await said({}, [one])).toEqual(ERROR);
    expect(await said({}, [one, other])).toEqual(WARNING);
    expect(await said({}, [other])).toEqual([]);
    await read(other);
    expect(await said()).toEqual(WARNING);
  });

  it('is looked up along with all others of its automation', async () => {
    await read(one);
    const statements = async (steps: number): Promise<number> => {
      const sending = Array.from({ length: steps }, (_, n) => ({ ...step, id: `a${n}` }));
      const { id } = await anAutomation(again(), {
        name: randomUUID(),
        steps: [...sending, { id: 'end', type: 'end' }],
      });
      let asked = 0;
      await inWorkspace(database, ctx.organizationId, (sql) => {
        const rows: typeof sql.rows = (...query) => {
          asked += 1;
          return sql.rows(...query);
        };
        return getAutomation({ ...ctx, sql: { rows } }, id);
      });
      return asked;
    };

    expect(await statements(50)).toBe(await statements(1));
  });

  it('keeps the automation from being turned on where no number has it', async () => {
    await read(one, null);
    await read(other, null);
    const { id } = await anAutomation(again(), { steps: [step, { id: 'end', type: 'end' }] });

    await expect(activateAutomation(again(), id)).rejects.toMatchObject({
      code: 'invalid_definition',
      details: { issues: [{ code: 'unknown_reference', path: 'steps[0].name' }] },
    });
  });

  it('is named in a language of WhatsApp; what was kept with another one is still read', async () => {
    expect(problems(withSteps({ ...step, language: 'pt-BR' }))).toEqual([
      'steps[0].language format',
    ]);
    expect(readNewAutomation(withSteps({ ...step, language: 'fil' })).steps).toHaveLength(2);
    const { id } = await anAutomation(again(), { steps: [step, { id: 'end', type: 'end' }] });
    await rows(
      `update automations set draft = jsonb_set(draft, '{steps,0,language}', '"pt-BR"') where id = $1`,
      [id],
    );

    expect(await activateAutomation(again(), id)).toMatchObject({ status: 'active' });
  });
});
