import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/database.ts';
import { networkOf } from '../http/callers/client-ip.ts';
import { normalEmail } from './service.ts';

export interface AttemptParts {
  readonly database: Pick<Database, 'system'>;
  readonly keyring: Pick<Keyring, 'hmac'>;
}

interface From {
  readonly email: string;
  readonly ip: string | null;
}

/** How long nobody may try a password, and whether that one account was tried too often, not only from an address. */
interface Wait {
  readonly seconds: number;
  readonly ofAccount: boolean;
}

/** Counts attempts before anything is looked up, so that known and unknown accounts behave alike. */
export interface Attempts {
  /** Before a password is compared; null if it may be. */
  password(from: From): Promise<Wait | null>;
  /** Whether this is the first lock of the account within an hour that is reported. */
  firstLock(from: Pick<From, 'email'>): Promise<boolean>;
  /** The password was right: forgives what was counted against the person. */
  forgive(from: From): Promise<void>;
  /**
   * The person proved who they are in another way: forgives what was counted, for the account from everywhere and
   * from here.
   */
  unlock(from: From): Promise<void>;
  /**
   * Before a mail is sent.
   *
   * @returns seconds to wait, or 0
   */
  mail(from: From): Promise<number>;
  /**
   * Before an invitation to a workspace is mailed.
   *
   * @returns seconds to wait, or 0
   */
  invitation(to: { readonly organizationId: string; readonly email: string }): Promise<number>;
  /**
   * Before a passkey is requested.
   *
   * @returns seconds to wait, or 0
   */
  passkey(from: Pick<From, 'ip'>): Promise<number>;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/**
 * Limits on guesses. The narrowest one stops a guesser quickly and no one else. The account's own limit, over all
 * addresses, is wide enough that a neighbour's typing locks no one out, and still leaves a botnet only a few hundred
 * guesses a day.
 */
const LIMITS = {
  'password-pair': { points: 5, duration: 15 * MINUTE_S },
  'password-account': { points: 20, duration: HOUR_S },
  'password-address': { points: 60, duration: 15 * MINUTE_S },
  'lock-account': { points: 1, duration: HOUR_S },
  'passkey-address': { points: 60, duration: 15 * MINUTE_S },
  'mail-account': { points: 3, duration: HOUR_S },
  'mail-address': { points: 30, duration: HOUR_S },
  // A workspace can mail anyone, so both mails to the same person and mails in total are limited.
  'invitation-pair': { points: 3, duration: HOUR_S },
  'invitation-workspace': { points: 100, duration: HOUR_S },
} as const;

const secondsIn = ({ msBeforeNext }: RateLimiterRes): number =>
  Math.ceil(msBeforeNext / 1_000) || 1;

type Limit = keyof typeof LIMITS;

/** Counters in the database, shared by all processes; accounts and addresses are stored as HMACs. */
export function createAttempts({ database, keyring }: AttemptParts): Attempts {
  const made = new Map<Limit, RateLimiterPostgres>();
  const limiter = (limit: Limit): RateLimiterPostgres => {
    const known = made.get(limit);
    if (known) return known;
    const counters = new RateLimiterPostgres({
      storeClient: database.system,
      storeType: 'pool',
      tableName: 'sign_in_attempts',
      tableCreated: true,
      keyPrefix: limit,
      ...LIMITS[limit],
    });
    made.set(limit, counters);
    return counters;
  };
  const hashed = (value: string): string =>
    keyring.hmac('sign-in-attempt', value).toString('base64url');
  const keys = ({ email, ip }: From) => {
    const account = normalEmail(email);
    const address = networkOf(ip ?? '');
    return {
      account: hashed(account),
      address: hashed(address),
      pair: hashed(`${account} ${address}`),
    };
  };
  const take = async (limit: Limit, key: string): Promise<number> => {
    try {
      await limiter(limit).consume(key);
      return 0;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return secondsIn(refusal);
      throw refusal;
    }
  };
  /** Seconds to wait, or 0, without counting anything. */
  const left = async (limit: Limit, key: string): Promise<number> => {
    const counted = await limiter(limit).get(key);
    const free = counted === null || counted.consumedPoints < LIMITS[limit].points;
    return free ? 0 : secondsIn(counted);
  };
  const unlock = async (from: From): Promise<void> => {
    const { account, pair } = keys(from);
    await limiter('password-pair').delete(pair);
    await limiter('password-account').delete(account);
  };
  return {
    password: async (from) => {
      const { account, address, pair } = keys(from);
      // An address that is stopped counts for no account, and leaves no row for each that it names.
      const stopped = await left('password-address', address);
      if (stopped > 0) return { seconds: stopped, ofAccount: false };
      // Checked one after the other: a request stopped by the narrow limit does not use up the wide ones.
      const narrow = await take('password-pair', pair);
      if (narrow > 0) return { seconds: narrow, ofAccount: true };
      const here = await take('password-address', address);
      if (here > 0) return { seconds: here, ofAccount: false };
      const everywhere = await take('password-account', account);
      return everywhere > 0 ? { seconds: everywhere, ofAccount: true } : null;
    },
    forgive: async (from) => {
      await unlock(from);
      await limiter('password-address').reward(keys(from).address, 1);
    },
    unlock,
    firstLock: async ({ email }) =>
      (await take('lock-account', keys({ email, ip: null }).account)) === 0,
    invitation: async ({ organizationId, email }) =>
      (await take('invitation-pair', hashed(`${organizationId} ${normalEmail(email)}`))) ||
      (await take('invitation-workspace', hashed(organizationId))),
    passkey: ({ ip }) => take('passkey-address', keys({ email: '', ip }).address),
    mail: async (from) => {
      const { account, address } = keys(from);
      return (await take('mail-address', address)) || (await take('mail-account', account));
    },
  };
}
