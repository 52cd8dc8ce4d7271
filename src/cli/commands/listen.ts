import type { Command } from 'commander';
import { createSafeSender } from '../../net/sender.ts';
import { WEBHOOK_EVENT_TYPES } from '../../outbox/events.ts';
import { announcePresence } from '../../relay/processes/presence.ts';
import { openListener } from '../../webhooks/listeners/service.ts';
import { createSigningKeys } from '../../webhooks/signing/keys.ts';
import { createWebhookSender } from '../../webhooks/signing/sender.ts';
import { createOutput, oneLine } from '../output.ts';
import { type Session, withSession } from '../session.ts';
import { aboutSomeWorkspace, type SomeWorkspaceOptions } from './in-workspace.ts';
import { Forwarding } from './listen/forwarding.ts';
import { lineOf, opening, recordOf } from './listen/lines.ts';
import { forwardUrl } from './listen/target.ts';

interface Options extends SomeWorkspaceOptions {
  readonly forwardTo: string;
  readonly events?: string;
}

/** `wms listen`: runs until Ctrl-C (docs/webhooks-laptop.md). */
export function listenCommand(program: Command): void {
  aboutSomeWorkspace(
    program,
    'listen',
    'forward the signed webhooks of a workspace to a program on this machine (with --json: a line of JSON for each)',
  )
    .requiredOption('--forward-to <url>', 'where to post them, as http://localhost:4000/hooks')
    .option('--events <types>', `these only, with commas: ${WEBHOOK_EVENT_TYPES.join(', ')}`)
    .action((options: Options) => withSession((session) => listen(session, options)));
}

async function listen(session: Session, options: Options): Promise<void> {
  const url = forwardUrl(options.forwardTo);
  const events = options.events?.split(',').map((name) => name.trim()) ?? WEBHOOK_EVENT_TYPES;
  const ctx = await session.contextFor(options.workspace);
  const listener = await openListener(ctx, { url, events }, session.keyring);
  const output = createOutput(options.json);
  output.result(
    { listener: listener.id, url, events: listener.events, secret: listener.secret },
    opening(listener),
  );

  const { database, keyring, databaseUrl = '' } = session;
  const stopping = new AbortController();
  // Told more than once: npm and a shell each pass it on, and by itself a second one would end the request in flight.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  // Whoever read along is gone.
  process.stdout.on('error', () => stopping.abort());
  const presence = announcePresence({ url: databaseUrl }, 'listener');
  const safe = createSafeSender({ trustedOrigins: [new URL(url).origin] });
  try {
    await presence.ready;
    const forwarding = new Forwarding(
      {
        database,
        listener: {
          organizationId: ctx.organizationId,
          endpointId: listener.id,
          token: presence.token,
        },
        url,
        sender: createWebhookSender(safe, createSigningKeys(keyring)),
        onAnswer: (delivery, answered) => {
          const at = new Date();
          output.result(recordOf(at, delivery, answered), [lineOf(at, delivery, answered)]);
        },
        onTrouble: options.json ? (line) => console.error(oneLine(line)) : output.progress,
      },
      stopping.signal,
    );
    await forwarding.run();
  } finally {
    await safe.close();
    await presence.close();
  }
}
