import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/verify/', import.meta.url);

const VERIFIERS = [
  ['verify.mjs', 'Node'],
  ['verify.py', 'Python'],
  ['verify.go', 'Go'],
  ['verify.php', 'PHP'],
  ['verify.rb', 'Ruby'],
] as const;

/** Code for receivers to copy that verifies a signature: the files of `docs/verify`, each run by a test. */
export const verifiers = (): { file: string; language: string; text: string }[] =>
  VERIFIERS.map(([file, language]) => ({
    file,
    language,
    text: readFileSync(new URL(file, FOLDER), 'utf8'),
  }));
