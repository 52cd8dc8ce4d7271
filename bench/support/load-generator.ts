import { type Asking, startAsking } from './asking.ts';

export interface LoadOrder {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface Load {
  readonly answers: number;
  /** Anything but a 2xx in time. */
  readonly failures: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuSeconds: number;
}

export type LoadGenerator = Asking<LoadOrder, Load>;

export const startLoadGenerator = (keyFile: string): LoadGenerator =>
  startAsking('load.ts', keyFile);
