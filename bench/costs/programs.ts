/** What costs are made of and how they grow: the programs of docs/costs.md, and their sizes as `bench/run.ts` reads them. */
import { benchCells } from './cells.ts';
import { benchEndpointGrowth } from './endpoints.ts';
import { benchMessageGrowth } from './messages.ts';
import { benchProfiles } from './profiles.ts';
import { benchStart } from './start.ts';
import { benchStatements } from './statements.ts';
import { benchWorkspaceGrowth } from './workspaces.ts';

export const growthOptions = {
  'growing-endpoints': { type: 'string', default: '1,10,100,1000' },
  'growing-workspaces': { type: 'string', default: '1,10,100' },
  'growing-messages': { type: 'string', default: '10000,100000,1000000,10000000' },
  'growth-events': { type: 'string', default: '10000' },
  'growth-recipients': { type: 'string', default: '5000' },
  'growth-requests': { type: 'string', default: '200' },
  'growth-seconds': { type: 'string', default: '15' },
  'statement-events': { type: 'string', default: '2000' },
} as const;

type Values = Readonly<
  Record<keyof typeof growthOptions | 'pace' | 'seconds' | 'events' | 'recipients', string>
>;

const sizesOf = (list: string): number[] => list.split(',').map(Number);

/** @param runs of those that are repeated */
export const growthPrograms = (values: Values, runs: number) => ({
  cells: () => benchCells({ runs, recipients: Number(values['growth-recipients']) }),
  'growth-endpoints': () =>
    benchEndpointGrowth({
      endpoints: sizesOf(values['growing-endpoints']),
      events: Number(values['growth-events']),
      pace: Number(values.pace),
      seconds: Number(values['growth-seconds']),
    }),
  'growth-workspaces': () =>
    benchWorkspaceGrowth({
      workspaces: sizesOf(values['growing-workspaces']),
      recipients: Number(values['growth-recipients']),
      seconds: Number(values.seconds),
    }),
  'growth-messages': () =>
    benchMessageGrowth({
      messages: sizesOf(values['growing-messages']),
      recipients: Number(values['growth-recipients']),
      requests: Number(values['growth-requests']),
    }),
  start: () => benchStart({ runs }),
  statements: () =>
    benchStatements({
      events: Number(values['statement-events']),
      pace: Number(values.pace),
    }),
  profiles: () =>
    benchProfiles({
      seconds: Number(values.seconds),
      events: Number(values.events),
      recipients: Number(values.recipients),
      pace: Number(values.pace),
    }),
});
