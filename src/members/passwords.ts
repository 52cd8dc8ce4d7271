import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { validation } from '../errors.ts';

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;

/** NIST SP 800-63B asks for at least 8; the upper end keeps hashing cheap. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 200;

const derive = promisify(argon2);

/** A PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, so that its parameters can change later. */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    const message = `A password has ${MIN_LENGTH} to ${MAX_LENGTH} characters.`;
    throw validation([{ path: 'password', rule: 'length', limit: MIN_LENGTH, message }]);
  }
  const nonce = randomBytes(16);
  const hash = await derive('argon2id', {
    message: password,
    nonce,
    parallelism: LANES,
    tagLength: 32,
    memory: MEMORY_KIB,
    passes: PASSES,
  });
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(hash)}`;
}
