import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { onCluster } from '../chaos/support/cluster.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { until } from '../support/processes/child.ts';

describe('a standby behind the address of the database', () => {
  it('is refused as if it were away, and let go once a primary is there', async () => {
    await onCluster(async (cluster) => {
      const database = await openDatabase({ url: cluster.url });
      try {
        const { ctx } = await aWorkspace(database);
        const name = (): Promise<unknown> =>
          transact(ctx, (tx) => tx.sql.rows('select name from workspaces'));
        const signal = path.join(cluster.dataDir, 'standby.signal');

        await cluster.kill();
        fs.writeFileSync(signal, '');
        await cluster.start();
        for (const ask of [name, () => database.app.query('select 1')])
          await until('it is refused', () =>
            ask().then(
              () => false,
              ({ code }: { code?: string }) => code === 'unavailable',
            ),
          );
        await cluster.kill();
        fs.rmSync(signal);
        await cluster.start();

        await until('it serves again', () =>
          name().then(
            () => true,
            () => false,
          ),
        );
        expect(await name()).toHaveLength(1);
      } finally {
        await database.close();
      }
    });
  });
});
