/**
 * Loaded before the service in a process of the soak: its lookups go to the receivers' name server, for
 * the machine's own knows nothing of them. The service's code is what runs otherwise.
 */

import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const { BENCH_NAME_SERVER = '' } = process.env;

dns.Resolver = class extends dns.Resolver {
  constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
    super(options);
    this.setServers([BENCH_NAME_SERVER]);
  }
};
syncBuiltinESMExports();
