import { expect, it } from '@jest/globals';
import { aDay } from '../../clients/typescript/examples/a-day.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openTestDatabase } from '../support/database.ts';
import { devServer } from '../support/env.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { ownPort } from '../support/ports.ts';
import { openProcesses } from '../support/processes/processes.ts';

it('an integrator’s day passes through the client alone, against real processes', async () => {
  const files = await openTestDatabase();
  const port = await ownPort();
  const receiver = { port, origin: `http://127.0.0.1:${port}` };
  const processes = await openProcesses({
    databaseUrl: files.url,
    temporalAddress: devServer().address,
    trustedOrigins: [receiver.origin],
  });
  const database = await openDatabase({ url: files.url, poolSize: 2 });
  try {
    const { ctx } = await aWorkspace(database);
    const { key } = await anApiKey(ctx);
    await aNumber(ctx);
    const { baseUrl } = await processes.start('api,worker');
    const lines: string[] = [];

    const day = await aDay({
      apiKey: key,
      baseUrl,
      receiver,
      say: (line) => void lines.push(line),
    });

    expect(day).toMatchObject({ contacts: 3, refusedDeliveries: 0 });
    expect(day.results.delivered + day.results.read).toBe(3);
    expect(day.answer).toBe('Thanks, I got your message!');
    expect(new Set(day.events.map(({ type }) => type))).toEqual(
      new Set(['contact.created', 'message.sent', 'message.received', 'conversation.closed']),
    );
    const sources = day.events.map((event) => event.type === 'message.sent' && event.data.source);
    expect(sources.filter((source) => source === 'api')).toHaveLength(1);
    expect(lines).toHaveLength(5);
  } finally {
    await processes.close();
    await database.close();
    await files.close();
  }
});
