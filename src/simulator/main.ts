/** Runs the simulator alone, configured by its own environment variables. */
import { z } from 'zod';
import { startSimulator } from './simulator.ts';

const environment = z.object({
  SIMULATOR_PORT: z.coerce.number().int().min(0).max(65_535).default(3001),
  SIMULATOR_SMTP_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  SIMULATOR_CALLBACK_URL: z.url({ protocol: /^https?$/ }),
  WHATSAPP_APP_SECRET: z.string().min(1),
  SIMULATOR_LEDGER: z.string().min(1).optional(),
});

async function main(): Promise<void> {
  const read = environment.safeParse(process.env);
  if (!read.success) {
    for (const { path, message } of read.error.issues)
      console.error(`${path.join('.')}: ${message}`);
    process.exitCode = 1;
    return;
  }
  const {
    SIMULATOR_PORT: port,
    SIMULATOR_SMTP_PORT: smtpPort,
    SIMULATOR_CALLBACK_URL: callbackUrl,
    WHATSAPP_APP_SECRET: appSecret,
    SIMULATOR_LEDGER: ledgerFile,
  } = read.data;
  const simulator = await startSimulator({
    port,
    smtpPort,
    callbackUrl,
    appSecret,
    ...(ledgerFile ? { ledgerFile } : {}),
    log: (line) => console.log(line),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void simulator.stop());
  }
  console.log(`mails are taken at ${simulator.smtpUrl}`);
  // Last, because whoever reads this may end the process at once.
  console.log(`WhatsApp simulator at ${simulator.url}, webhooks to ${callbackUrl}`);
}

try {
  await main();
} catch (problem) {
  const { code, message } = problem as NodeJS.ErrnoException;
  const port = process.env['SIMULATOR_PORT'] ?? '3001';
  console.error(
    code === 'EADDRINUSE'
      ? `port ${port} is taken: set SIMULATOR_PORT to a free one`
      : `the simulator cannot start: ${message}`,
  );
  process.exitCode = 1;
}
