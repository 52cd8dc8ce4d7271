import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aNumber } from '../support/factories/numbers.ts';
import { openShell, type Said, type Shell } from '../support/shell.ts';

let shell: Shell;
let body: object;
beforeAll(async () => {
  shell = await openShell();
  body = {
    title: 'Aviso',
    text: 'Sua consulta é amanhã.',
    target: 'phone',
    phone: '+55 11 98765-4321',
    number_id: (await aNumber(shell.ctx)).id,
    repeat: 'daily',
    time: '09:00',
    transactional: true,
  };
});
afterAll(() => shell.close());

const wms = (...args: string[]): Promise<Said> => shell.wms('reminder', ...args);

describe('wms reminder', () => {
  it('creates, also a transactional one, lists and cancels', async () => {
    const { json: made } = await wms('create', '--file', shell.file(body));
    const { json: listed } = await wms('list');
    const { json: cancelled } = await wms('cancel', made.id);

    expect(made).toMatchObject({ status: 'active', transactional: true, phone: '+5511987654321' });
    expect(listed).toEqual([made]);
    expect(cancelled).toMatchObject({ id: made.id, status: 'cancelled' });
  });

  it('says what is wrong, field by field', async () => {
    const { json } = await wms('create', '--file', shell.file({ ...body, time: '9h' }));

    expect(json.error).toMatchObject({ code: 'validation', details: [{ path: 'time' }] });
  });
});
