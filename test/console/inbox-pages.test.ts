import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { someContacts } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

const PAGE = 50;
let scene: ConsoleScene;
const ids: string[] = [];

beforeAll(async () => {
  scene = await aConsoleScene();
  const { id: numberId } = await aNumber(scene.ctx);
  for (const { id: contactId } of await someContacts(scene.ctx, 2 * PAGE + 1))
    ids.push(await aConversation(scene.ctx, { numberId, contactId }));
});
afterAll(() => scene?.close());

/** The conversations that each page lists, one page after the other, as its own link leads there. */
async function pagesFrom(first: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let at: string | undefined = first; at && pages.length < 4; ) {
    const { text } = await scene.people.agent.get(at);
    pages.push(
      [...text.matchAll(/href="[^"]*\/inbox\/(cnv_\w+)#newest"/g)].map(([, id = '']) => id),
    );
    at = /href="([^"]*after=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return pages;
}

it.each([
  ['was written to at the same moment', `'2026-11-28T12:00:00.123456Z'::timestamptz`],
  [
    'was written to within one millisecond',
    `'2026-11-28T12:00:00.123Z'::timestamptz + n * interval '1 microsecond'`,
  ],
  [
    'was written to at another time',
    `'2026-11-28T12:00:00Z'::timestamptz + n * interval '7 hours'`,
  ],
  ['has no message', 'null'],
])('leads through every conversation once when each %s', async (_, latest) => {
  await rowsOf(
    scene.ctx,
    `update conversations c set last_message_at = ${latest}
       from unnest($1::text[]) with ordinality g (id, n) where c.id = g.id`,
    [ids],
  );

  const pages = await pagesFrom(`${scene.base}/inbox?status=open`);

  expect(pages.flat()).toEqual(ids.toReversed());
  expect(pages.map(({ length }) => length)).toEqual([PAGE, PAGE, 1]);
});

it('leads on within the filters, and with another filter to the first page of what that leaves', async () => {
  const linksOf = async (at: string): Promise<string[]> => {
    const { text } = await scene.people.owner.get(at);
    return [...text.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => to.replaceAll('&amp;', '&'));
  };
  // As the part of the page asks that refreshes itself.
  const first = await linksOf(`${scene.base}/inbox?status=open&seen=here`);
  const next = first.find((link) => link.includes('after=')) ?? '';

  const second = await linksOf(next);

  expect(next).toMatch(/\?status=open&after=cnv_/);
  expect(second.filter((link) => link.includes('after='))).toHaveLength(1);
  expect(second).toContain(`${scene.base}/inbox?status=open&unread=true`);
  expect(second).toContain(`${scene.base}/inbox?status=open`);
});

it('begins at the first page where the address names a day that its month does not have', async () => {
  const at = `${scene.base}/inbox?after=${ids[0]}~2026-02-30T00:00:00Z`;

  const { status, text } = await scene.people.owner.get(at);

  expect([status, text.includes(`${ids.at(-1)}#newest`)]).toEqual([200, true]);
});
