import { createTemporalCalls } from '../../relay/temporal-calls.ts';
import { PERSON_WAITS_MS, type Temporal } from '../../temporal/connection.ts';
import { CommandError } from '../output.ts';
import type { Session } from '../session.ts';
import type { Row } from './rows.ts';
import type { Repair } from './verdict.ts';

interface RepairParts {
  readonly session: Session;
  readonly temporal: Temporal;
}

/** Brings row and workflow into agreement. Ending something twice, or starting what runs already, changes nothing. */
export async function repair(
  { session, temporal }: RepairParts,
  row: Row,
  how: Repair,
): Promise<void> {
  const { kind, id, organizationId, start } = row;
  const { config, baseUrl } = session;
  const ways = { baseUrl, deadlineMs: PERSON_WAITS_MS };
  const calls = createTemporalCalls(temporal.client, config.TEMPORAL_TASK_QUEUE, ways);
  if (how === 'start') await calls.perform({ kind: 'start', ...start });
  if (how === 'end') await endRow(session, row);
  // A sleeping workflow must be told that its row has ended.
  if (how === 'end' || how === 'wake')
    await calls.perform(
      kind.wake?.(organizationId, id) ?? { kind: 'wake', workflowId: start.workflowId },
    );
}

async function endRow({ contextFor }: Session, row: Row): Promise<void> {
  if (!row.kind.end)
    throw new CommandError('Its runs end at their next step; there is no row to end.');
  await row.kind.end(await contextFor(row.organizationId), row.id);
}
