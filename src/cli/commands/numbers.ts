import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { connectNumber } from '../../numbers/connecting.ts';
import { addNumber } from '../../numbers/service.ts';
import { CommandError, createOutput } from '../output.ts';
import { withSession } from '../session.ts';

interface Add {
  readonly workspace: string;
  readonly name: string;
  readonly phone: string;
  readonly provider: string;
  readonly phoneNumberId?: string;
  readonly businessAccountId?: string;
  readonly accessTokenFile?: string;
  readonly window?: boolean;
  readonly json?: boolean;
}

interface Connect {
  readonly workspace: string;
  readonly accessTokenFile?: string;
  readonly phoneNumberId?: string;
  readonly json?: boolean;
}

/** `wms number`. A token is read from a file, so that it does not appear in process lists. */
export function numberCommands(program: Command): void {
  const number = program.command('number').description('WhatsApp numbers');
  number
    .command('connect')
    .description('take a number into use again that WhatsApp turned away, or give it a new token')
    .argument('<number>', 'the id of the number, num_…')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--access-token-file <file>', 'a file that holds the new access token')
    .option('--phone-number-id <id>', "WhatsApp's id of a number that had none yet")
    .option('--json', 'print one JSON document')
    .action((id: string, options: Connect) =>
      withSession(async (session) => {
        const ctx = await session.contextFor(options.workspace);
        const { accessTokenFile, phoneNumberId = null } = options;
        const accessToken = accessTokenFile ? readToken(accessTokenFile) : null;
        const connection = { accessToken, phoneNumberId };
        const { status } = await connectNumber(ctx, id, connection, session.keyring);
        createOutput(options.json ?? false).result({ number_id: id, status }, [
          `number ${id} is ${status}; campaigns that it paused wait to be resumed`,
        ]);
      }),
    );
  number
    .command('add')
    .description('add a number; its access token is kept encrypted')
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--phone <phone>', 'international, +55…')
    .requiredOption('--provider <provider>', 'sandbox, paired or cloud_api')
    .option('--phone-number-id <id>', "WhatsApp's id of the number")
    .option('--business-account-id <id>', "WhatsApp's id of the business account")
    .option('--access-token-file <file>', 'a file that holds the access token')
    .option('--window', 'hold a sandbox number to the 24-hour window')
    .option('--json', 'print one JSON document')
    .action((options: Add) =>
      withSession(async (session) => {
        const { id, phoneNumberId } = await addNumber(
          await session.contextFor(options.workspace),
          newNumber(options),
          session.keyring,
        );
        createOutput(options.json ?? false).result(
          { number_id: id, phone_number_id: phoneNumberId },
          [`number          ${id}`, `phone number id ${phoneNumberId ?? '(not known yet)'}`],
        );
      }),
    );
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function newNumber(options: Add): Parameters<typeof addNumber>[1] {
  const { name, phone, provider, phoneNumberId, businessAccountId, accessTokenFile } = options;
  if (provider !== 'sandbox' && provider !== 'cloud_api' && provider !== 'paired') {
    throw new CommandError('--provider is sandbox, paired or cloud_api.');
  }
  return {
    name,
    phone,
    provider,
    window: options.window ?? false,
    ...(phoneNumberId ? { phoneNumberId } : {}),
    ...(businessAccountId ? { businessAccountId } : {}),
    ...(accessTokenFile ? { accessToken: readToken(accessTokenFile) } : {}),
  };
}
