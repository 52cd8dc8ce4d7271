import { forgetOldRows } from '../contacts/imports/forgetting.ts';
import { deleteOldRefs } from '../conversations/sending/client-refs.ts';
import { asSystem } from '../db/database.ts';
import { deleteOldAnswers } from '../http/idempotency.ts';
import { deleteOldWebhooks } from '../inbound/forgetting.ts';
import { createFetcher } from '../media/fetching.ts';
import { recountSegments } from '../segments/recounting.ts';
import { syncDueTemplates } from '../templates/sync.ts';
import { BY_ITSELF_MS } from './look.ts';
import { createLoop, type Loop } from './loop.ts';
import type { StoppedParts } from './parts.ts';

const FORGET_EVERY_MS = 600_000;
const COUNT_EVERY_MS = 60_000;
const TEMPLATES_EVERY_MS = 15_000;

const FILES_AT_ONCE = 4;

/** Downloads the files that people sent, each in a loop of its own: a slow one keeps no other waiting. */
export function createFetching(parts: StoppedParts): Loop {
  const [name, work] = ['the fetching of files', createFetcher(parts)];
  const loops = Array.from({ length: FILES_AT_ONCE }, () =>
    createLoop({ name, everyMs: BY_ITSELF_MS, log: parts.log, work }),
  );
  return {
    start: () => {
      for (const loop of loops) loop.start();
    },
    poke: () => {
      for (const loop of loops) loop.poke();
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    problem: () => loops.map((loop) => loop.problem()).find((one) => one !== null) ?? null,
  };
}

/** Small periodic work that every process does. */
export function createChores(parts: StoppedParts): Loop[] {
  const { database, log } = parts;
  return [
    createLoop({
      name: 'the removal of old answers',
      everyMs: FORGET_EVERY_MS,
      log,
      work: () => asSystem(database, deleteOldAnswers),
    }),
    createLoop({
      name: 'the removal of old references',
      everyMs: FORGET_EVERY_MS,
      log,
      work: () => asSystem(database, deleteOldRefs),
    }),
    createLoop({
      name: 'the removal of old webhooks of WhatsApp',
      everyMs: FORGET_EVERY_MS,
      log,
      work: () => asSystem(database, deleteOldWebhooks),
    }),
    createLoop({
      name: 'the removal of old rows of imports',
      everyMs: FORGET_EVERY_MS,
      log,
      work: () => asSystem(database, forgetOldRows),
    }),
    createLoop({
      name: 'the counts of segments',
      everyMs: COUNT_EVERY_MS,
      log,
      work: () => recountSegments(parts),
    }),
    createLoop({
      name: 'the sync of templates',
      everyMs: TEMPLATES_EVERY_MS,
      log,
      work: async () => {
        const { more, failures } = await syncDueTemplates(parts);
        for (const failure of failures)
          log.warn(failure, 'templates or the quality of a number could not be read');
        return more;
      },
    }),
  ];
}
