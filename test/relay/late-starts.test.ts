import { expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { createLog } from '../../src/log.ts';
import { commandFact, insertFacts } from '../../src/outbox/record.ts';
import { relayCommands } from '../../src/relay/commands.ts';
import { createTemporalCalls, type TemporalCalls } from '../../src/relay/temporal-calls.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { devServer, PATIENT } from '../support/env.ts';
import { relayScene } from '../support/relay-scene.ts';

const { scene, anEndpointOf } = relayScene();
const { address } = devServer();

const away: TemporalCalls = { perform: () => Promise.reject(new Error('14 UNAVAILABLE')) };
const dueAt = new Date(Date.now() + 20 * 86_400_000).toISOString();
const runId = newId('run');
const reminderId = newId('rem');

it.each([
  [
    'run',
    runId,
    commandFact('run.waiting', { runId, dueAt, isNew: true }),
    commandFact('run.ended', { runId }),
  ],
  [
    'reminder',
    reminderId,
    commandFact('reminder.changed', { reminderId, dueAt }),
    commandFact('reminder.changed', { reminderId }),
  ],
])(
  'a %s is not begun again by a start that Temporal hears of after its end',
  async (kind, id, begin, end) => {
    const { workspaceId } = await anEndpointOf();
    const temporal = connectTemporal({ address, namespace: 'default' });
    await registerSearchAttributes(temporal.connection, 'default');
    const calls = createTemporalCalls(temporal.client, 'nobody-works-here', PATIENT);
    const log = createLog({ level: 'silent', format: 'json' });
    const parts = { database: scene.database, token: newId('fct'), log };
    const record = (fact: typeof begin) =>
      inWorkspace(scene.database, workspaceId, (sql) => insertFacts(sql, workspaceId, [fact]));
    const due = (when: string) =>
      sqlOver(scene.database.system).rows(`update facts set not_before = ${when}`);
    await record(begin);
    expect(await relayCommands({ ...parts, calls: away })).toMatchObject({ failed: 1 });
    // Not again before its end is told, however slow this machine is.
    await due("now() + interval '1 hour'");
    await record(end);
    expect(await relayCommands({ ...parts, calls })).toMatchObject({ taken: 1, failed: 0 });
    const handle = temporal.client.workflow.getHandle(`${kind}:${id}`);
    await handle.terminate('as if it had read its row');

    await due('now()');
    expect(await relayCommands({ ...parts, calls })).toMatchObject({ taken: 1, failed: 0 });

    expect((await handle.describe()).status.name).toBe('TERMINATED');
    await temporal.close();
  },
);
