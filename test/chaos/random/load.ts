import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosStage } from '../support/stage.ts';
import type { Client } from './client.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import { openReminders, type Reminders } from './reminders.ts';
import type { ChaosScene } from './scene.ts';

export interface LoadSizes {
  readonly recipients: number;
  readonly events: number;
  readonly runs: number;
  readonly reminders: number;
}

export interface Load {
  readonly crowd: Crowd;
  readonly campaigns: readonly string[];
  readonly reminders: Reminders;
  /** Resolves when everything is begun. */
  fed(): Promise<void>;
}

const LOOK_EVERY_MS = 100;
/** So many callers make events side by side. */
const CALLERS = 4;
const MOST_CAMPAIGNS = 20;
const SMALLEST_CAMPAIGN = 20;
/** Messages a minute: some are under way at any moment. */
const PACES = [4_800, 600, 60];
/** From here on none is begun that would still go on long after the last kill. */
const LATE = 0.7;

/**
 * Acts for 0 to `total - 1`, bit by bit.
 *
 * @param progress from 0 to 1, how much of the whole is over: so much is begun.
 */
export async function feed(
  progress: () => number,
  total: number,
  act: (n: number) => Promise<void>,
  first = 0,
  step = 1,
): Promise<void> {
  for (let n = first; n < total; n += step) {
    while (progress() < n / total) await sleep(LOOK_EVERY_MS);
    await act(n);
  }
}

/**
 * Begins everything bit by bit.
 *
 * @param people who get the campaigns.
 * @param progress from 0 to 1, how much of the whole is over: so much is begun.
 */
export function openLoad(
  { stage, scene, client }: { stage: ChaosStage; scene: ChaosScene; client: Client },
  { events, runs, reminders: toRemind }: LoadSizes,
  people: readonly string[],
  progress: () => number,
): Load {
  const crowd = openCrowd(stage, scene, client);
  const reminders = openReminders(stage, scene, client, people);
  const campaigns: string[] = [];
  const count = Math.max(
    1,
    Math.min(MOST_CAMPAIGNS, Math.floor(people.length / SMALLEST_CAMPAIGN)),
  );
  const size = Math.ceil(people.length / count);

  async function campaign(n: number): Promise<void> {
    const paces = n / count < LATE ? PACES : PACES.slice(0, 2);
    const pace = paces[n % paces.length] ?? 60;
    const { id } = await client.post('/campaigns', {
      name: `Novidades ${n}`,
      number_id: scene.numberId,
      target: 'contacts',
      contact_ids: people.slice(n * size, (n + 1) * size),
      text: 'Oi {{first_name}}, a nova coleção chegou!',
      pace,
    });
    await client.post(`/campaigns/${id}/send`);
    campaigns.push(String(id));
  }

  const event = async (n: number): Promise<void> => {
    const phone = `+5511984${String(n).padStart(6, '0')}`;
    await client.post('/contacts', { name: `Pessoa ${n}`, phone });
  };

  const feeding = Promise.all([
    feed(progress, count, campaign),
    feed(progress, runs, crowd.begin),
    feed(progress, toRemind, reminders.begin),
    ...Array.from({ length: CALLERS }, (_, caller) =>
      feed(progress, events, event, caller, CALLERS),
    ),
  ]);
  feeding.catch(() => {});
  return {
    crowd,
    campaigns,
    reminders,
    fed: async () => {
      await feeding;
    },
  };
}
