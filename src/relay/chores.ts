import { forgetOldRows } from '../contacts/imports/forgetting.ts';
import { deleteOldRefs } from '../conversations/sending/client-refs.ts';
import { asSystem } from '../db/database.ts';
import { deleteOldAnswers } from '../http/idempotency.ts';
import { deleteOldWebhooks } from '../inbound/forgetting.ts';
import { createFetcher, type FetchDeps } from '../media/fetching.ts';
import { recountSegments } from '../segments/recounting.ts';
import { createTemplateSync, type SyncDeps } from '../templates/sync.ts';
import { createLoop, type Loop, type LoopParts } from './loop.ts';
import type { StoppedParts } from './parts.ts';
import { BY_ITSELF_MS } from './polling.ts';

const FORGET_EVERY_MS = 600_000;
const COUNT_EVERY_MS = 60_000;
const TEMPLATES_EVERY_MS = 15_000;

const FILES_AT_ONCE = 4;
const TEMPLATES_AT_ONCE = 4;

/** Several loops of the same work as one: what is slow in one of them keeps no other waiting. */
function sideBySide(most: number, parts: LoopParts): Loop {
  const loops = Array.from({ length: most }, () => createLoop(parts));
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

/** Downloads the files that people sent. */
export const createFetching = (parts: FetchDeps): Loop =>
  sideBySide(FILES_AT_ONCE, {
    name: 'the fetching of files',
    everyMs: BY_ITSELF_MS,
    log: parts.log,
    work: createFetcher(parts),
  });

/** Reads the templates of numbers, and their quality. */
export const createSyncing = (parts: SyncDeps): Loop =>
  sideBySide(TEMPLATES_AT_ONCE, {
    name: 'the sync of templates',
    everyMs: TEMPLATES_EVERY_MS,
    log: parts.log,
    work: createTemplateSync(parts),
  });

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
    createSyncing(parts),
  ];
}
