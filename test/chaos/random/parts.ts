import type { Service } from '../../support/processes/processes.ts';

/** Something that can be taken away and comes back. */
export interface Part {
  readonly kind: 'api' | 'worker' | 'temporal' | 'postgres';
  readonly name: string;
  /** Whole, and not to be hurt by anything that is still going on. */
  up: boolean;
  /** 0 while there is none. */
  pid(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A process of the service, another one after each kill. */
export interface Process extends Part {
  service: Service | null;
}

/** @param endedAlone when it ends although nobody killed it. */
export function processOf(
  kind: 'api' | 'worker',
  name: string,
  start: () => Promise<Service>,
  endedAlone: (part: Process, said: string) => void,
): Process {
  const part: Process = {
    kind,
    name,
    up: false,
    service: null,
    pid: () => part.service?.pid ?? 0,
    kill: async () => {
      const { service } = part;
      part.service = null;
      await service?.kill('SIGKILL');
    },
    start: async () => {
      const service = await start();
      part.service = service;
      void service.exited.then((code) => {
        if (part.service !== service) return;
        part.service = null;
        endedAlone(part, `${name} ended with ${code}: ${service.output().slice(-2_000)}`);
      });
    },
  };
  return part;
}
