import { randomBytes } from 'node:crypto';

const run = randomBytes(8).toString('hex').toUpperCase();
let count = 0;

/** A message id in Meta's form: opaque, base64 with its `=`, and unique. */
export function newWamid(person: string): string {
  count += 1;
  return `wamid.${Buffer.from(`\x1c\x18${person}\x15\x02${run}${count.toString(16)}`).toString('base64')}`;
}
