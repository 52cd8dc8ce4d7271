import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RequestInfo } from '../context.ts';
import { AppError } from '../errors.ts';
import { changing, logPerson, type PeopleParts } from './changing.ts';
import { type Session, signedInRecently } from './sessions.ts';

export interface PasskeyParts extends PeopleParts {
  /** Passkeys are bound to its host, and used from its origin. */
  readonly baseUrl: string;
}

/** A passkey as its person sees it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

const CHALLENGE_MS = 5 * 60_000;
const MAX_PASSKEYS = 20;

/** Three hundred files, so they are loaded when the first passkey is used, not at the start of the process. */
const webAuthn = () => import('@simplewebauthn/server');

const domain = ({ baseUrl }: PasskeyParts): string => new URL(baseUrl).hostname;
const origin = ({ baseUrl }: PasskeyParts): string => new URL(baseUrl).origin;

async function remember(
  { database, clock }: PasskeyParts,
  challenge: string,
  userId: string | null,
): Promise<void> {
  const now = clock.now();
  await database.system.query('insert into passkey_challenges values ($1, $2, $3)', [
    challenge,
    userId,
    new Date(now.getTime() + CHALLENGE_MS),
  ]);
}

/** Whether the challenge was issued, to this person or to anyone, and not answered before. */
const answers =
  ({ database, clock }: PasskeyParts, userId: string | null) =>
  async (challenge: string): Promise<boolean> => {
    const { rowCount } = await database.system.query(
      'delete from passkey_challenges where challenge = $1 and user_id is not distinct from $2 and expires_at > $3',
      [challenge, userId, clock.now()],
    );
    return rowCount === 1;
  };

/** The person's own, newest first. */
export async function listPasskeys(
  { database }: Pick<PasskeyParts, 'database'>,
  userId: string,
): Promise<Passkey[]> {
  const { rows } = await database.system.query<Passkey>(
    `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt"
     from passkeys where user_id = $1 order by created_at desc, id`,
    [userId],
  );
  return rows;
}

/** False, and nothing done, if it belongs to another person or is gone already. */
export const removePasskey = (
  parts: PeopleParts,
  userId: string,
  { id, request }: { readonly id: string; readonly request: RequestInfo },
): Promise<boolean> =>
  changing(parts, async (tx) => {
    const [gone] = await tx.sql.rows<{ name: string }>(
      'delete from passkeys where user_id = $1 and id = $2 returning name',
      [userId, id],
    );
    if (!gone) return false;
    const changes = [{ field: 'passkey', from: gone.name, to: null }];
    await logPerson(tx, { userId, action: 'member.passkey_removed', changes, request });
    return true;
  });

/** Throws 403 if the sign-in is older than 10 minutes, 409 if the person has as many passkeys as one may have. */
async function requireMayAdd(parts: PasskeyParts, session: Session): Promise<Passkey[]> {
  if (!signedInRecently(session, parts.clock.now()))
    throw new AppError('forbidden', 'Sign in again first: this needs a sign-in within 10 minutes.');
  const known = await listPasskeys(parts, session.userId);
  if (known.length >= MAX_PASSKEYS)
    throw new AppError('quota', `A person has at most ${MAX_PASSKEYS} passkeys.`);
  return known;
}

/** What the browser needs to create a passkey. */
export async function newPasskeyOptions(parts: PasskeyParts, session: Session): Promise<object> {
  const known = await requireMayAdd(parts, session);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Workspace Messaging',
    rpID: domain(parts),
    userName: session.email,
    userDisplayName: session.name,
    userID: new TextEncoder().encode(session.userId),
    excludeCredentials: known.map(({ id }) => ({ id })),
    // The passkey replaces both address and password, so the device must store it and verify its owner.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await remember(parts, options.challenge, session.userId);
  return options;
}

interface NewPasskey {
  readonly name: string;
  /** As the browser's `toJSON` returns it. */
  readonly credential: string;
  readonly request: RequestInfo;
}

/**
 * Stores a passkey that the browser created with the options above, if it still may: many can be begun at once, and
 * the browser be left open.
 *
 * @returns whether the answer is valid
 */
export async function addPasskey(
  parts: PasskeyParts,
  session: Session,
  { name, credential, request }: NewPasskey,
): Promise<boolean> {
  const { userId } = session;
  await requireMayAdd(parts, session);
  const response = parsed<RegistrationResponseJSON>(credential);
  if (!response) return false;
  const { verifyRegistrationResponse } = await webAuthn();
  const outcome = await verifyRegistrationResponse({
    response,
    expectedChallenge: answers(parts, userId),
    expectedOrigin: origin(parts),
    expectedRPID: domain(parts),
  }).catch(() => null);
  if (!outcome?.verified) return false;
  const { id, publicKey, counter, transports = [] } = outcome.registrationInfo.credential;
  return changing(parts, async (tx) => {
    const [kept] = await tx.sql.rows(
      `insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
      [id, userId, name, Buffer.from(publicKey), counter, transports, tx.now],
    );
    if (!kept) return false;
    const changes = [{ field: 'passkey', from: null, to: name }];
    await logPerson(tx, { userId, action: 'member.passkey_added', changes, request });
    return true;
  });
}

/** What the browser needs to find a passkey of this service, for any person. */
export async function signInOptions(parts: PasskeyParts): Promise<object> {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: domain(parts),
    userVerification: 'required',
  });
  await remember(parts, options.challenge, null);
  return options;
}

interface KeyRow {
  readonly user_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
}

/**
 * The person who proves their identity with a passkey; null if it is unknown, was used before, or is for another
 * site.
 */
export async function signInByPasskey(
  parts: PasskeyParts,
  credential: string,
): Promise<string | null> {
  const response = parsed<AuthenticationResponseJSON>(credential);
  if (!response) return null;
  const { rows } = await parts.database.system.query<KeyRow>(
    'select user_id, public_key, counter from passkeys where id = $1',
    [response.id],
  );
  const [key] = rows;
  if (!key) return null;
  const { verifyAuthenticationResponse } = await webAuthn();
  const outcome = await verifyAuthenticationResponse({
    response,
    expectedChallenge: answers(parts, null),
    expectedOrigin: origin(parts),
    expectedRPID: domain(parts),
    credential: {
      id: response.id,
      publicKey: new Uint8Array(key.public_key),
      counter: Number(key.counter),
    },
  }).catch(() => null);
  if (!outcome?.verified) return null;
  await parts.database.system.query(
    'update passkeys set counter = greatest(counter, $2), last_used_at = $3 where id = $1',
    [response.id, outcome.authenticationInfo.newCounter, parts.clock.now()],
  );
  return key.user_id;
}

/** A credential as the browser's `toJSON` returns it; its contents are checked on verification. */
function parsed<T extends { id: string }>(text: string): T | null {
  try {
    const value = JSON.parse(text) as T | null;
    return typeof value?.id === 'string' ? value : null;
  } catch {
    return null;
  }
}
