import type { NewAutomation } from '../../../../src/automations/schema.ts';
import { simulationBody } from '../../../../src/automations/simulation/schema.ts';
import { simulateAutomation } from '../../../../src/automations/simulation/simulate.ts';
import type { Context, News } from '../../../../src/context.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { openOwnDatabase } from '../../../support/database.ts';
import { anAutomation } from '../../../support/factories/automations.ts';
import { aNumber } from '../../../support/factories/numbers.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';

const DAY_MS = 86_400_000;
/** When the virtual clock begins. */
export const START = new Date(Date.now() + 2 * DAY_MS).toISOString();
export const later = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();

type Simulation = Awaited<ReturnType<typeof simulateAutomation>>;

export interface Simulating {
  readonly ctx: Context;
  /** The database owner's address. */
  readonly url: string;
  /** A context that writes down what it is woken for. */
  heard(): { readonly ctx: Context; readonly woken: readonly News[] };
  /** A draft with these steps, for who writes unless another trigger is given; answers its id. */
  draft(steps: readonly object[], trigger?: object): Promise<string>;
  simulate(id: string, body?: object, ctx?: Context): Promise<Simulation>;
  close(): Promise<void>;
}

/** A workspace with a number that is held to the window of 24 hours. */
export async function openSimulating(): Promise<Simulating> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  await aNumber(ctx, { window: true });
  let drafts = 0;
  return {
    ctx,
    url: database.url,
    heard: () => {
      const { organizationId, actor, now } = ctx;
      const woken: News[] = [];
      const wake = (news: News): void => void woken.push(news);
      return { ctx: createContext({ database, wake }, { organizationId, actor, now }), woken };
    },
    draft: async (steps, trigger = { type: 'message_received' }) => {
      drafts += 1;
      const wishes = {
        name: `Fluxo ${drafts}`,
        trigger,
        steps,
      } as unknown as Partial<NewAutomation>;
      return (await anAutomation(ctx, wishes)).id;
    },
    simulate: (id, body = {}, at = ctx) =>
      simulateAutomation(at, id, simulationBody.parse({ starts_at: START, ...body })),
    close: async () => {
      await database.close();
    },
  };
}

export const end = { id: 'end', type: 'end' };

export const say = (id: string, text: string, next: string) => ({
  id,
  type: 'send_message',
  text,
  next,
});

/** Asks whether to go on: yes, no, and no answer lead to different words. */
export const conversation = [
  say('hello', 'Oi {{first_name|tudo bem}}! Quer ver?', 'hear'),
  {
    id: 'hear',
    type: 'wait_for_reply',
    timeout: 'PT20H',
    save_to: null,
    next: 'decide',
    on_timeout: 'late',
  },
  {
    id: 'decide',
    type: 'branch',
    cases: [{ when: { field: 'step.hear.answer', op: 'contains', value: 'sim' }, next: 'yes' }],
    else: 'end',
  },
  say('yes', 'Que bom, {{name}}!', 'end'),
  say('late', 'Ainda está aí?', 'end'),
  end,
];
