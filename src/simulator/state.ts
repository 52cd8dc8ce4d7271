import type { Faults } from './faults.ts';
import type { Files } from './files.ts';
import type { Mails } from './mail/mails.ts';
import type { Phones } from './phones.ts';
import type { Ledger } from './sending/ledger.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** What the simulator's routes share. */
export interface State {
  ledger: Ledger;
  phones: Phones;
  webhooks: Webhooks;
  faults: Faults;
  /** Numbers that are disconnected: every send from them gets 190. */
  disconnected: Set<string>;
  /** Whether a send from the number is admitted under the fault `rate_limit_per_s`. */
  admits: (phoneNumberId: string) => boolean;
  /** How often each send that is first throttled was refused so far. */
  throttled: Map<string, number>;
  /** Whether the app gets the account's webhooks, as far as is told. */
  subscribed: boolean;
  files: Files;
  mails: Mails;
}
