import { setTimeout as sleep } from 'node:timers/promises';
import { ownPort } from '../../support/ports.ts';
import type { Service } from '../../support/processes/processes.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Dice } from './dice.ts';
import type { Ground } from './ground.ts';
import { type Part, type Process, processOf } from './parts.ts';

export const DEEDS = ['api', 'worker', 'temporal', 'postgres', 'halt'] as const;
export type DeedKind = (typeof DEEDS)[number];

const STANDSTILL_MS = 6_000;
/** As a service manager tries, until what the process needs is back. */
const RESTART_AFTER_MS = 250;

export interface Crew {
  /** The APIs that answer at the moment. */
  apis(): readonly Service[];
  readonly parts: readonly Part[];
  /** Kills a part that is up, or halts a worker, as soon as there is one. It comes back by itself. */
  hurt(dice: Dice): Promise<{ readonly kind: DeedKind; readonly part: string }>;
  /** Resolves when every part is back. */
  whole(): Promise<void>;
  /** Nothing is looked after any more: what ends from now on stays away. */
  dismiss(): void;
  /** Processes that ended although nobody hurt them, with what they said. */
  readonly endedAlone: readonly string[];
  /** How often a start failed, since what the process needs was away. */
  failedStarts(): number;
}

/**
 * Two APIs and two workers on PostgreSQL and Temporal. The simulator's webhooks go to the first API.
 *
 * @param spared names of parts that nobody hurts.
 */
export async function openCrew(
  stage: ChaosStage,
  { cluster, temporal }: Ground,
  spared: readonly string[] = [],
): Promise<Crew> {
  const endedAlone: string[] = [];
  const recovery = openRecovery();
  const process = (kind: 'api' | 'worker', number: number, environment = {}): Process =>
    processOf(
      kind,
      `${kind} ${number}`,
      () => stage.processes.start(kind, environment),
      (part, said) => {
        if (recovery.dismissed()) return;
        endedAlone.push(said);
        part.up = false;
        recovery.begin(part);
      },
    );
  const apis = [process('api', 1), process('api', 2, { PORT: String(await ownPort()) })];
  const workers = [process('worker', 1), process('worker', 2)];
  const parts: Part[] = [
    ...apis,
    ...workers,
    { ...temporal, kind: 'temporal', name: 'temporal', up: true },
    { ...cluster, kind: 'postgres', name: 'postgres', up: true },
  ];
  for (const part of [...apis, ...workers]) recovery.begin(part);
  await recovery.over();
  const able = (kind: DeedKind): Part[] =>
    parts.filter(
      ({ up, name, kind: own }) =>
        up && own === (kind === 'halt' ? 'worker' : kind) && !spared.includes(name),
    );

  return {
    parts,
    apis: () => apis.flatMap(({ up, service }) => (up && service ? [service] : [])),
    hurt: async (dice) => {
      let kind = dice.pick(DEEDS);
      while (!kind || able(kind).length === 0) {
        await sleep(20);
        kind = dice.pick(DEEDS.filter((each) => able(each).length > 0));
      }
      const part = dice.pick(able(kind)) as Part;
      part.up = false;
      if (kind === 'halt') recovery.after(part, standStill(part as Process));
      else {
        await part.kill();
        recovery.begin(part);
      }
      return { kind, part: part.name };
    },
    whole: recovery.over,
    dismiss: recovery.dismiss,
    endedAlone,
    failedStarts: recovery.failures,
  };
}

async function standStill({ service }: Process): Promise<void> {
  const pid = service?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  await sleep(STANDSTILL_MS);
  process.kill(pid, 'SIGCONT');
}

interface Recovery {
  /** Starts the part until it is there. */
  begin(part: Part): void;
  /** It is up again after this. */
  after(part: Part, what: Promise<void>): void;
  over(): Promise<void>;
  failures(): number;
  dismiss(): void;
  dismissed(): boolean;
}

function openRecovery(): Recovery {
  const going = new Set<Promise<void>>();
  let failed = 0;
  let dismissed = false;
  const after = (part: Part, what: Promise<void>): void => {
    const work = what.then(() => {
      part.up = true;
      going.delete(work);
    });
    going.add(work);
  };
  async function comeBack(part: Part): Promise<void> {
    const starts = (): Promise<boolean> =>
      part.start().then(
        () => true,
        () => false,
      );
    while (!dismissed && !(await starts())) {
      failed += 1;
      await sleep(RESTART_AFTER_MS);
    }
  }
  return {
    begin: (part) => after(part, comeBack(part)),
    after,
    over: async () => {
      while (going.size > 0) await Promise.all(going);
    },
    failures: () => failed,
    dismiss: () => {
      dismissed = true;
    },
    dismissed: () => dismissed,
  };
}
