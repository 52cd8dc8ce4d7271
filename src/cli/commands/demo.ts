import type { Command } from 'commander';
import { createApi } from '../demo/api.ts';
import { runDemo } from '../demo/demo.ts';
import { createReceiver } from '../demo/receiver.ts';
import { CommandError, createOutput, wholeNumberUpTo } from '../output.ts';
import { surroundings } from '../session.ts';

interface Options {
  readonly json?: boolean;
  readonly interrupt?: boolean;
  readonly port: string;
  readonly timeout: string;
}

/** `wms demo`. Exits with 1 unless every webhook arrived and verified. */
export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('send a campaign to forty people and verify each signed webhook that reports it')
    .option(
      '--port <port>',
      'where the demo receives webhooks (a trusted origin of the service)',
      '3999',
    )
    .option('--interrupt', 'stop the receiver in the middle and start it again')
    .option('--timeout <seconds>', 'how long to wait for everything to arrive', '120')
    .option('--json', 'print one JSON document')
    .action(demo);
}

const LARGEST_PORT = 65_535;

async function demo(options: Options): Promise<void> {
  const port = wholeNumberUpTo(LARGEST_PORT, '--port', options.port);
  const timeoutMs = wholeNumberUpTo(86_400, '--timeout', options.timeout) * 1_000;
  const output = createOutput(options.json);
  const { run } = surroundings();
  if (!run?.demo)
    throw new CommandError(
      'The demo needs a service that runs here with its demo workspace. Start it first: npm start.',
    );
  const receiver = createReceiver(port);
  await receiver.start();
  try {
    const result = await runDemo(createApi(run.baseUrl, run.demo.apiKey), receiver, output, {
      numberId: run.demo.numberId,
      receiverUrl: `http://127.0.0.1:${port}/hooks`,
      interrupt: options.interrupt ?? false,
      timeoutMs,
    });
    const { recipients: total, delivered, verified, missing } = result;
    output.result(result, [
      ...missing.map((id) => `missing: no verified message.sent for ${id}`),
      ...(run.temporalUiUrl
        ? [
            `see it in Temporal: ${run.temporalUiUrl}/namespaces/${run.temporalNamespace}/workflows/campaign:${result.campaign_id}`,
          ]
        : []),
      `delivered ${delivered}/${total}, verified ${verified}/${total}`,
    ]);
    if (delivered < total || verified < total) process.exitCode = 1;
  } finally {
    await receiver.stop();
  }
}
