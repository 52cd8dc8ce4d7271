import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const exists = (...place: string[]): boolean => fs.existsSync(path.join(ROOT, ...place));

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

/** Pages for people, at the top and in docs. */
const pages = ['.', 'docs', 'docs/decisions', 'docs/measurements', 'clients/typescript'].flatMap(
  (folder) =>
    fs
      .readdirSync(path.join(ROOT, folder))
      // The page on coverage is written and held by a test of its own.
      .filter((name) => name.endsWith('.md') && name !== 'coverage.md')
      .map((name) => path.join(folder, name)),
);

/** Files that a page leads to, as paths from the top. */
const linksOf = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:|mailto:|#|\/)([^)#\s]+)/g)].map(([, to = '']) =>
    path.join(path.dirname(page), to),
  );

/** Without its blocks, whose comments look like headings. */
const proseOf = (page: string): string => read(page).replace(/^```.*\n[\s\S]*?^```/gm, '');

/** The names by which a page's headings are linked to, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** A folder is read by its own page. */
const pageAt = (place: string): string =>
  exists(place, 'README.md') ? path.join(place, 'README.md') : place;

/** Files and folders of ours that it names in backticks; not those with a placeholder. */
const namesOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /`((?:src|workflows|activities|test|docs|deploy|scripts|bench|clients|bin)\/[\w./-]+)`/g,
    ),
  ].map(([, name = '']) => name);

describe.each(pages)('%s', (page) => {
  it('names no file that is not there', () => {
    const text = read(page);
    const named = [...linksOf(page, text), ...namesOf(text)];

    const missing = named.filter((name) => !exists(name) && !exists(path.dirname(page), name));
    expect(missing).toEqual([]);
  });

  it('leads to no heading that is not there', () => {
    const links = proseOf(page).matchAll(/\]\((?!https?:|\/)([^)#\s]*)#([^)\s]+)\)/g);
    const lost = [...links].filter(([, to = '', anchor = '']) => {
      const target = to ? path.join(path.dirname(page), to) : page;
      return !anchorsOf(target).includes(anchor);
    });

    expect(lost.map(([link]) => link)).toEqual([]);
  });
});

it('every page can be reached from the README', () => {
  const reached = new Set(['README.md']);
  // What is added while it is walked is walked, too.
  for (const page of reached) {
    for (const link of linksOf(page, read(page)).map(pageAt))
      if (link.endsWith('.md')) reached.add(link);
  }

  expect([...pages, 'docs/coverage.md'].filter((page) => !reached.has(page))).toEqual([]);
});

it('the map of the README has every room of the source', () => {
  const [, map = ''] = /## The map\n+```\n(.+?)```/s.exec(read('README.md')) ?? [];
  const rooms = fs
    .readdirSync(path.join(ROOT, 'src'), { withFileTypes: true })
    .map((entry) => entry.name + (entry.isDirectory() ? '/' : ''));

  const placed = new Set<string>(map.match(/[\w.-]+\/?/g));
  expect(rooms.filter((room) => !placed.has(room))).toEqual([]);
});
