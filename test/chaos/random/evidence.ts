import type { ChaosStage } from '../support/stage.ts';
import type { Client } from './client.ts';
import type { Crew } from './crew.ts';
import type { Doubts } from './doubts.ts';
import type { Load } from './load.ts';

/** What there is to judge by when everything has come to rest. */
export interface Evidence {
  readonly stage: ChaosStage;
  readonly crew: Crew;
  readonly client: Client;
  readonly load: Load;
  readonly kills: number;
  /** Recipients and messages that were on their way when something was hurt, all together. */
  readonly inFlight: number;
  /** Webhooks that were: each may be requested once more for each time. */
  readonly doubtful: Doubts;
}
