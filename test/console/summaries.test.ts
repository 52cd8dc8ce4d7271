import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aRecordForEveryPage, NO_ANSWER, shownPages } from './support/every-page.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene([NO_ANSWER]));

const FORM = /<form method="post" action="[^"]*\/console\/[\s\S]*?<\/form>/g;
const CONTROL = /<(?:input|textarea|select)[^>]* name="([^"]*)"[^>]*>/g;
const TOO_LONG = 'x'.repeat(10_001);

/** What a form sends in whose fields something stands that none of them takes. */
const filledWith = (form: string, text: string): Fields =>
  Object.fromEntries(
    Array.from(form.matchAll(CONTROL), ([control, name = '']) => [
      name,
      control.includes('type="hidden"') ? (/ value="([^"]*)"/.exec(control)?.[1] ?? '') : text,
    ]),
  );

interface Entry {
  readonly text: string;
  /** What the field is called to which it leads; undefined if it leads nowhere. */
  readonly label: string | undefined;
}

const plain = (markup = ''): string => markup.replaceAll(/<[^>]*>/g, '');

function entriesOf(page: string): Entry[] {
  const [summary = ''] = /<div class="summary".*?<\/div>/s.exec(page) ?? [];
  return Array.from(summary.matchAll(/<li>(.*?)<\/li>/g), ([, entry = '']) => {
    const id = /href="#([^"]*)"/.exec(entry)?.[1];
    const places = [
      `for="${id}">(.*?)</label>`,
      `id="${id}"[^>]*><legend>(.*?)</legend>`,
      `id="${id}"[^>]* aria-label="([^"]*)"`,
    ];
    const labels = places.flatMap((place) => new RegExp(place, 's').exec(page)?.[1] ?? []);
    return { text: plain(entry), label: labels.map(plain)[0] };
  });
}

const hasFields = (form: string): boolean =>
  Array.from(form.matchAll(CONTROL)).some(([control]) => !control.includes('type="hidden"'));

/** The problems of the page's forms: without anything in their fields, and with too much. */
async function problemsOn(address: string): Promise<Entry[]> {
  const { owner } = scene.people;
  const forms = ((await owner.get(address)).text.match(FORM) ?? []).filter(hasFields);
  const entries: Entry[] = [];
  for (const form of forms)
    for (const text of ['', TOO_LONG]) {
      const answer = await owner.post(address, filledWith(form, text));
      if (answer.status === 422) entries.push(...entriesOf(answer.text));
    }
  return entries;
}

it('names and links its field for each problem of every form', async () => {
  const addresses = await aRecordForEveryPage(scene.ctx);
  let seen = 0;
  for (const { path } of shownPages) {
    const entries = await problemsOn(scene.base + addresses[path]);
    const unnamed = entries.filter(({ text, label }) => !label || !text.startsWith(label));
    expect([path, unnamed]).toEqual([path, []]);
    seen += entries.length;
  }
  expect(seen).toBeGreaterThan(100);
});

it.each([
  ['en', /^Name \(.+, open\): Must not be empty\.$/],
  ['pt-BR', /^Nome \(.+, aberta\): Preencha este campo\.$/],
])('names a field of a row in %s by what is read out there', async (language, said) => {
  const { owner } = scene.people;
  const [row] = await rowsOf<{ id: string; pipeline_id: string }>(
    scene.ctx,
    "select id, pipeline_id from stages where kind = 'open' limit 1",
  );
  const address = `${scene.base}/pipelines/${row?.pipeline_id}/stages`;
  const form = { _csrf: await owner.csrf(), action: 'rename-stage', id: row?.id ?? '', name: '' };

  const { text } = await owner.post(address, form, { 'accept-language': language });

  expect(entriesOf(text)).toEqual([expect.objectContaining({ text: expect.stringMatching(said) })]);
});
