/** The least that can deliver: bodies that are there already, signed and posted, nothing kept. */
import { forEachLimited } from '../../src/concurrency.ts';
import { newId } from '../../src/ids.ts';
import { sentFact } from '../support/people.ts';
import { printLoop } from '../support/print-loop.ts';
import { signedPosts } from '../support/signed-posting.ts';

const { BARE_TARGET = '', BARE_COUNT = '20000', BARE_WIDTH = '64' } = process.env;
const count = Number(BARE_COUNT);
const width = Number(BARE_WIDTH);
const organizationId = newId('org');
const facts = Array.from({ length: count }, (_, n) => sentFact(organizationId, n));
const receiver = signedPosts(BARE_TARGET, width);

await printLoop(count, () =>
  forEachLimited(width, facts, ({ id, payload }) => receiver.post(id, payload)),
);
await receiver.close();
