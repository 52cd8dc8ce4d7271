import { createHash, randomBytes } from 'node:crypto';

const run = randomBytes(8).toString('hex').toUpperCase();
let count = 0;

/** A message id in Meta's form: opaque, base64 with its `=`, and unique. */
export function newWamid(person: string): string {
  count += 1;
  return wamid(`\x1c\x18${person}\x15\x02${run}${count.toString(16)}`);
}

/** Of a person's reply to a message: the same each time, so that one told twice is one. */
export const wamidOfReply = (to: string): string =>
  wamid(`\x1c\x18${createHash('sha256').update(to).digest('hex')}`);

const wamid = (content: string): string => `wamid.${Buffer.from(content).toString('base64')}`;
