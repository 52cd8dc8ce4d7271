import os from 'node:os';
import { type Asking, startAsking } from './asking.ts';

export interface OpenOrder {
  readonly origin: string;
  readonly seconds: number;
  /** Requests a second, whatever becomes of them; 0: as fast as they are answered, so many side by side. */
  readonly pace: number;
  readonly width: number;
}

/** One request and its answer. */
export interface Asked {
  /** Milliseconds from the beginning at which it was to be asked, and from then to the end of its answer. */
  readonly at: number;
  readonly ms: number;
  /** How many milliseconds late the request was sent, which is not the server's fault. */
  readonly late: number;
  /** 0 where there was none. */
  readonly status: number;
  readonly retryAfter: boolean;
  /** It was to change something. */
  readonly change: boolean;
}

export type OpenLoad = Asking<OpenOrder, Asked[]>;

const PRIORITY = process.getuid?.() === 0 ? -10 : 0;

/** @param keyFile API keys that take turns, one a line. */
export function startOpenLoad(keyFile: string): OpenLoad {
  const load: OpenLoad = startAsking('open-load.ts', keyFile);
  // As if on a machine of its own: its lateness would be taken for the service's.
  os.setPriority(load.pid, PRIORITY);
  return load;
}
