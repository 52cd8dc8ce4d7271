import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createLimiter } from '../concurrency.ts';
import { unavailable, validation } from '../errors.ts';
import { isCommon } from './common-passwords.ts';

/** OWASP's first choice for Argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const TAG_BYTES = 32;

/** NIST SP 800-63B requires at least 8; the upper limit keeps hashing cheap. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 200;

const derive = promisify(argon2);

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

const COST: Cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES };

/** Half of the process's threads: the others read files and resolve names, however many people sign in. */
const AT_ONCE = 2;
/** About two seconds of work; anyone beyond that is refused at once. */
const WAITING = 100;

const inTurn = createLimiter(AT_ONCE, (waiting) => {
  if (waiting >= WAITING)
    throw unavailable('Too many people sign in at this moment. Try again shortly.');
});

/** Normalises what is typed on different keyboards to one spelling (NIST SP 800-63B). */
const digest = (password: string, nonce: Buffer, cost: Cost): Promise<Buffer> => {
  const message = password.normalize('NFKC');
  return inTurn(() => derive('argon2id', { message, nonce, tagLength: TAG_BYTES, ...cost }));
};

/** Throws 422 `validation`, rule `length` or `common`: NIST SP 800-63B requires both. */
export function requirePassword(password: string): void {
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    const message = `A password has ${MIN_LENGTH} to ${MAX_LENGTH} characters.`;
    throw validation([{ path: 'password', rule: 'length', limit: MIN_LENGTH, message }]);
  }
  if (isCommon(password)) {
    const message = 'This password is among the first that are guessed. Choose another one.';
    throw validation([{ path: 'password', rule: 'common', message }]);
  }
}

/**
 * A PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, so that its parameters can change later. Throws what
 * `requirePassword` throws.
 */
export async function hashPassword(password: string): Promise<string> {
  requirePassword(password);
  const nonce = randomBytes(16);
  const hash = await digest(password, nonce, COST);
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Compared with when there is no hash, so that an unknown account takes as long as a wrong password. */
const NOBODYS = Buffer.alloc(16, 'nobody');

/** Whether the password matches the hash; false without a hash, after the same amount of work. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  // Hashing also costs by length, and no password of ours is longer.
  const typed = password.length > 4 * MAX_LENGTH ? '' : password;
  const [, memory, passes, parallelism, nonce, expected] = PHC.exec(hash ?? '') ?? [];
  if (!nonce || !expected) {
    await digest(typed, NOBODYS, COST);
    return false;
  }
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const found = await digest(typed, Buffer.from(nonce, 'base64'), cost);
  const wanted = Buffer.from(expected, 'base64');
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}
