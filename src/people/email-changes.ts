import { z } from 'zod';
import type { RequestInfo } from '../context.ts';
import { first } from '../db/sql.ts';
import { HOUR_MS } from '../durations.ts';
import { notFound } from '../errors.ts';
import type { MemberStatus } from '../members/rules.ts';
import { changing, logPerson, type PeopleParts, type PeopleTx, readdress } from './changing.ts';
import { normalEmail } from './service.ts';
import { newToken, type Session, tokenHash } from './sessions.ts';
import {
  endLinks,
  isStillTheirs,
  type Refused,
  type SigningInParts,
  signIn,
} from './signing-in.ts';

const VALID_MS = HOUR_MS;

const address = z.email().max(254);

interface Wanted {
  readonly email: string;
  /** The current one, as at the sign-in: a browser left open must not be enough to take an account over. */
  readonly password: string;
  readonly request: RequestInfo;
}

/** A link to mail to the new address. It can be used once, within an hour. */
export interface EmailChangeLink {
  readonly email: string;
  readonly token: string;
}

/**
 * A link by which the person signs in with another address from then on; earlier ones end, so that an address that was
 * mistyped is taken back. Wrong passwords count like those at sign-in. Says nothing of whether somebody has that address:
 * only whoever reads its mail learns that.
 *
 * @returns `unsuitable` for what is no address, or theirs already; seconds to wait if passwords were tried, or mails asked for,
 * too often: earlier links are good then
 */
export async function emailChangeLink(
  parts: SigningInParts,
  session: Session,
  { email, password, request }: Wanted,
): Promise<EmailChangeLink | Refused | { readonly unsuitable: true }> {
  const wanted = address.safeParse(normalEmail(email));
  if (!wanted.success || wanted.data === session.email) return { unsuitable: true };
  const proven = await signIn(parts, { email: session.email, password, request });
  if (!('userId' in proven)) return proven;
  const token = newToken();
  return changing(parts, async (tx) => {
    const { sql, now } = tx;
    if (!(await isStillTheirs(tx, proven))) return { wrong: true as const };
    // Before the earlier link goes: whoever asks once too often still has that one.
    const waitSeconds = await parts.attempts.mail({ email: wanted.data, ip: request.ip });
    if (waitSeconds > 0) return { waitSeconds };
    await sql.rows('delete from email_changes where user_id = $1', [proven.userId]);
    await sql.rows(
      'insert into email_changes (token_hash, user_id, email, expires_at) values ($1, $2, $3, $4)',
      [tokenHash(token), proven.userId, wanted.data, new Date(now.getTime() + VALID_MS)],
    );
    return { email: wanted.data, token };
  });
}

/** From which address to which. */
export interface EmailChange {
  readonly from: string;
  readonly to: string;
}

interface Link {
  readonly token: string;
  /** Who opened it. In the hands of anybody else it is none. */
  readonly userId: string;
}

/** What a link changes. Throws the same 404 for one that does not exist, is somebody else's, was used or has expired. */
export async function emailChangeOf(parts: PeopleParts, link: Link): Promise<EmailChange> {
  const found = await changing(parts, (tx) => findChange(tx, link));
  if (!found) throw notFound('link');
  return found;
}

const findChange = ({ sql, now }: PeopleTx, { token, userId }: Link): Promise<EmailChange | null> =>
  first(
    sql,
    `select p.email as "from", c.email as "to" from email_changes c join people p on p.id = c.user_id
     where c.token_hash = $1 and c.user_id = $2 and c.expires_at > $3`,
    [tokenHash(token), userId, now],
  );

/** Whose an address is: an account's, or that of an invitation that nobody accepted. */
export type Holder = 'taken' | 'invited';

/** Frees an address of nobody: their invitation was taken back before they came in. Null if it is free. */
async function makeWay({ sql }: PeopleTx, email: string): Promise<Holder | null> {
  const holder = await first<{ id: string; hasAccount: boolean }>(
    sql,
    `select id, password_hash is not null or exists (select from passkeys k where k.user_id = p.id) as "hasAccount"
     from people p where email = $1`,
    [email],
  );
  if (!holder) return null;
  if (holder.hasAccount) return 'taken';
  // Whoever invites them just now holds this row.
  await sql.rows('select from people where id = $1 for update', [holder.id]);
  const places = await sql.rows<{ status: MemberStatus }>(
    'select status from members where user_id = $1',
    [holder.id],
  );
  if (places.length > 0)
    return places.every(({ status }) => status === 'invited') ? 'invited' : 'taken';
  await sql.rows('delete from people where id = $1 and password_hash is null', [holder.id]);
  return null;
}

interface Pressed extends Link {
  /** The address that the page asked them about. */
  readonly asked: string;
  readonly request: RequestInfo;
}

/**
 * The person signs in with the other address, and each workspace knows them by it. Links that were mailed to them end: those
 * in the former mailbox would still let whoever reads it choose a password. Throws 404 for an invalid link.
 *
 * @returns `refused` if somebody else has the address, which changes nothing; `already` for the second request of a double
 * click: a browser shows the answer to that one
 */
export const changeEmail = (
  parts: PeopleParts,
  { token, userId, asked, request }: Pressed,
): Promise<EmailChange | { readonly refused: Holder } | { readonly already: true }> =>
  changing(parts, async (tx) => {
    const { sql } = tx;
    // Whoever makes them a member holds this row, and writes the address that they had.
    const person = await first<{ email: string }>(
      sql,
      'select email from people where id = $1 for update',
      [userId],
    );
    const found = await findChange(tx, { token, userId });
    if (!found && person?.email === asked) return { already: true as const };
    if (!found) throw notFound('link');
    const { from, to } = found;
    const refused = await makeWay(tx, to);
    if (refused) return { refused };
    await sql.rows('update people set email = $2 where id = $1', [userId, to]);
    await readdress(tx, userId, to);
    await endLinks(tx, userId);
    const changes = [{ field: 'email', from, to }];
    await logPerson(tx, { userId, action: 'member.email_changed', changes, request });
    return { from, to };
  });
