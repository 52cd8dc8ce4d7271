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
  /** Numbers that lost their connection: every send from them answers 190. */
  disconnected: Set<string>;
  /** Admits a send from a number, or not, under the fault `rate_limit_per_s`. */
  admits: (phoneNumberId: string) => boolean;
  /** Refusals so far of sends that are throttled before they are accepted. */
  throttled: Map<string, number>;
  files: Files;
  mails: Mails;
}
