import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

/** What the guide's own code says of each: the head, or why it is no proof. */
export function verifiedByGuide(proofs: readonly (readonly unknown[])[]): string[] {
  const guide = fs.readFileSync(new URL('../../../docs/proof.md', import.meta.url), 'utf8');
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  const program = `${code}
import { readFileSync } from 'node:fs';
const said = JSON.parse(readFileSync(0, 'utf8')).map((pages) => {
  try {
    return verifyProof(pages);
  } catch (error) {
    return error.message;
  }
});
console.log(JSON.stringify(said));`;
  const asked = ['--input-type=module', '--eval', program];
  const { stdout } = spawnSync(process.execPath, asked, { input: JSON.stringify(proofs) });
  return JSON.parse(stdout.toString());
}
