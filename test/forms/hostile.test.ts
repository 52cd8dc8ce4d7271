import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { submissionView } from '../../src/forms/schema.ts';
import { aForm, NAME, PHONE } from '../support/factories/forms.ts';
import { rowsOf } from '../support/rows-of.ts';
import {
  aFormScene,
  aPhone,
  type FormScene,
  freshCounters,
  openPage,
  submissionsOf,
} from './support/scene.ts';

let scene: FormScene;
let formId: string;
beforeAll(async () => {
  scene = await aFormScene();
  ({ id: formId } = await aForm(scene.ctx, {
    tag: 'x',
    fields: [
      NAME,
      PHONE,
      { type: 'email', label: 'E-mail', save_to: 'email' },
      { type: 'long_text', label: 'Notas', save_to: 'notes' },
      { type: 'number', label: 'Idade', save_to: 'custom.idade' },
      { type: 'date', label: 'Nascimento', save_to: 'birth_date' },
      { type: 'select', label: 'Turno', save_to: 'custom.turno', options: ['constructor', 'B'] },
      {
        type: 'multi_select',
        label: 'Cores',
        save_to: 'custom.constructor',
        options: ['toString'],
      },
      { type: 'consent', label: 'Aceito' },
    ],
  }));
});
afterAll(() => scene.close());

const VALUES = [
  '',
  '1',
  '__proto__',
  'constructor',
  'toString',
  '{"$ne":null}',
  "'; drop table forms; --",
  '%s%n{{7*7}}',
  '=cmd|calc',
  '<script>alert(1)</script>',
  '\u202Eabc\u200B',
  '👨‍👩‍👧'.repeat(28),
  'e\u0301'.repeat(5_000),
  'x'.repeat(100_000),
  '\r\n\t',
  '\u0001\u001f\u007f',
  '2026-02-30',
  '9999-12-31',
  '-0',
  '1e999',
  'NaN',
  '+55 11 91111-2222',
];
const NAMES = [
  'a_nome_completo',
  'a_e_mail',
  'a_notas',
  'a_idade',
  'a_nascimento',
  'a_turno',
  'a_cores',
  'a_aceito',
  'a___proto__',
  'a_constructor',
  '__proto__',
  'a_title',
  'organization_id',
  'contact_id',
  'a_nome_completo[]',
  'a_nome_completo[0][x]',
  'c',
];

/** The same numbers for the same seed, so that a failure can be seen again. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const pick = <T>(from: readonly T[], number: (below: number) => number): T =>
  from[number(from.length)] as T;

async function send(body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${scene.api.url}/f/${formId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe('hostile answers', () => {
  it.each([1, 2, 3, 4])(
    'are kept as text or refused beside their field, and never more than that (seed %i)',
    async (seed) => {
      const number = numbersFrom(seed);
      for (let round = 0; round < 25; round += 1) {
        await freshCounters(scene.database);
        const { token } = await openPage(scene, `/f/${formId}`);
        const body = new URLSearchParams({ token, a_whatsapp: aPhone().written });
        for (let i = number(8); i > 0; i -= 1)
          body.append(pick(NAMES, number), pick(VALUES, number));

        const { status, text } = await send(body.toString());

        expect([200, 422]).toContain(status);
        expect(text).not.toMatch(/<script|<img/);
      }
      for (const submission of await submissionsOf(scene, formId)) {
        expect(() => submissionView.parse(submission)).not.toThrow();
        expect(Object.keys(submission.answers)).toHaveLength(9);
      }
      expect(({} as Record<string, unknown>)['toString']).toBe(Object.prototype.toString);
    },
  );

  it('with NUL, half a character or more pairs than a form has are 400, and nothing is kept', async () => {
    const before = await rowsOf(scene.ctx, 'select id from form_submissions');
    const { token } = await openPage(scene, `/f/${formId}`);
    const good = `token=${token}&a_whatsapp=11+91234-5678`;

    const replies = [
      await send(`${good}&a_notas=%00`),
      await send(`${good}&a_notas=%ED%A0%80`),
      await send(`${good}${'&a_cores=x'.repeat(2_000)}`),
    ];

    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await rowsOf(scene.ctx, 'select id from form_submissions')).toEqual(before);
  });

  it('of a megabyte are 413, and cost no time that others feel', async () => {
    const before = process.cpuUsage();
    const reply = await send(`a_notas=${'%F0%9F%8E%82'.repeat(90_000)}`);

    expect(reply.status).toBe(413);
    // Of this process, which is the server too: what else the machine does is not counted.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
