import { describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

type File = string | Uint8Array<ArrayBuffer>;

/** @param marks what the page itself put into the form */
async function send(file: File, marks: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { owner } = scene.people;
  const body = new FormData();
  const fields = { _csrf: await owner.csrf(), action: 'import', ...marks };
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([file]), 'clientes.csv');
  return fetch(`${scene.api.url}${scene.base}/contacts/imports`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `wms_session=${owner.token}`, 'accept-language': 'pt-BR' },
    body,
  });
}

/** What the page says, in Portuguese, about this file of contacts. */
async function saidOf(file: File): Promise<string> {
  const reply = await send(file);
  expect(reply.status).toBe(422);
  return /<p class="problem" id="f-file-error">([^<]*)</.exec(await reply.text())?.[1] ?? '';
}

const KNOWN =
  'Há: name, phone, email, tags, birth_date, birth_year_known, language, time_zone, notes, custom, opted_out, blocked, id, custom.&lt;chave&gt;. Uma chave tem de 1 a 40 caracteres de a-z, 0-9 e _.';
const SAVE_AS = 'O arquivo não é texto em UTF-8: na planilha, salve como “CSV UTF-8”.';
const NO_ROWS = 'O arquivo não tem nenhum contato abaixo da primeira linha.';
const quoted = (name: string): string => `&quot;${name}&quot;`;

describe('a file of contacts that is refused, in Portuguese', () => {
  it.each<[string, string, File]>([
    [
      'which columns are not known, and which are',
      `Estas colunas não existem: ${quoted('nome')}, ${quoted('telefone')}. ${KNOWN}`,
      'nome,telefone\nAna,1\n',
    ],
    [
      'which column is there twice',
      `Está duas vezes: ${quoted('name')}. Cada coluna pode estar uma vez.`,
      'name,name\nAna,Ana\n',
    ],
    [
      'how to save one of another encoding',
      SAVE_AS,
      new Uint8Array(Buffer.from('name;phone\nJoão;1\n', 'latin1')),
    ],
    ['that a picture is no text', SAVE_AS, new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0])],
    ['that there are no rows', NO_ROWS, 'name,phone\n'],
    ['that it is empty', NO_ROWS, ''],
    [
      'how many rows there may be',
      'Use no máximo 100.000 linhas.',
      `name\n${'Ana\n'.repeat(100_001)}`,
    ],
    [
      'near which line a quote is left open',
      'O arquivo não pode ser lido como CSV perto da linha 3: procure aspas.',
      'name,phone\nAna,\nBia "x" "y,\n"Caio,1\n',
    ],
  ])('says %s', async (_, sentence, file) => {
    expect(await saidOf(file)).toBe(sentence);
  });
});

it('a file that is chosen after another one on the same page is imported too, and each of them once', async () => {
  const marks = { _showing: 'one-page' };

  const places = [];
  for (const name of ['Rita', 'Rita', 'Caio'])
    places.push((await send(`name\n${name}\n`, marks)).headers.get('location'));

  expect(places[0]).toMatch(/\/contacts\/imports\/imp_/);
  expect(places[1]).toBe(places[0]);
  expect(places[2]).not.toBe(places[0]);
  expect(await rowsOf(scene.ctx, 'select from contact_imports')).toHaveLength(2);
});
