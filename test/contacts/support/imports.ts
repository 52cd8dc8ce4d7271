import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { contactActivities } from '../../../activities/contacts.ts';
import { failureInterceptor } from '../../../activities/failure.ts';
import type { ImportRef } from '../../../src/contacts/imports/steps.ts';
import type { ImportView } from '../../../src/contacts/schema.ts';
import { createContext } from '../../../src/db/contexts.ts';
import type { Database } from '../../../src/db/database.ts';
import type { importContacts } from '../../../workflows/contacts.ts';
import { workflowBundle } from '../../support/env.ts';
import type { TestApi } from '../../support/http.ts';

/** A file as its text, sent as a browser sends it. */
export function fileOf(text: string | Uint8Array<ArrayBuffer>, name = 'clientes.csv'): FormData {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), name);
  return form;
}

/** So many people with a phone each. */
export const manyPeople = (count: number, from = 0): string =>
  `name,phone\n${Array.from({ length: count }, (_, i) => `Pessoa ${from + i},+5511983${String(from + i).padStart(6, '0')}`).join('\n')}`;

/** Sends the file and answers the import that begins. */
export async function imported(api: TestApi, key: string, text: string): Promise<ImportView> {
  const reply = await api.call('POST', '/api/v1/contacts/imports', { key, body: fileOf(text) });
  if (reply.status !== 201) throw new TypeError(reply.text);
  return reply.body;
}

type ContextFor = Parameters<typeof contactActivities>[0]['contextFor'];

export const contextsOf =
  (database: Database): ContextFor =>
  (organizationId, actor) =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() });

export interface ImportWorker {
  start(ref: ImportRef): Promise<WorkflowHandle<typeof importContacts>>;
  stop(): Promise<void>;
}

/** A worker of imports on a task queue of its own. */
export async function runImportWorker(parts: {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly contextFor: ContextFor;
}): Promise<ImportWorker> {
  const taskQueue = `imports-${randomUUID()}`;
  const worker = await Worker.create({
    connection: parts.connection,
    taskQueue,
    workflowBundle,
    activities: contactActivities({ contextFor: parts.contextFor }),
    interceptors: { activity: [() => ({ inbound: failureInterceptor })] },
    stickyQueueScheduleToStartTimeout: '1s',
  });
  const running = worker.run();
  return {
    start: (ref) =>
      parts.client.workflow.start<typeof importContacts>('importContacts', {
        workflowId: `import:${ref.importId}`,
        taskQueue,
        args: [ref],
        workflowTaskTimeout: '5s',
      }),
    stop: async () => {
      worker.shutdown();
      await running;
    },
  };
}
