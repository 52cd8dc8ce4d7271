import { Argument, type Command } from 'commander';
import { addConfirmed, connectConfirmed } from '../../numbers/confirming.ts';
import type { WhatsAppNumber } from '../../numbers/entities.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { removeNumber } from '../../numbers/removing.ts';
import { canSend, THROUGHPUTS, type Throughput } from '../../numbers/rules.ts';
import type { NewNumber } from '../../numbers/service.ts';
import { setThroughput } from '../../numbers/throughput.ts';
import { readText } from '../files.ts';
import { heldIn } from '../ops/holding.ts';
import { CommandError, table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

interface Add extends WorkspaceOptions {
  readonly name: string;
  readonly phone: string;
  readonly provider: string;
  readonly phoneNumberId?: string;
  readonly businessAccountId?: string;
  readonly accessTokenFile?: string;
  readonly window?: boolean;
}

interface Connect extends WorkspaceOptions {
  readonly accessTokenFile?: string;
  readonly phoneNumberId?: string;
  readonly businessAccountId?: string;
}

type Listed = Awaited<ReturnType<typeof listNumbers>>['data'][number];

interface Standing extends Pick<Listed, 'status' | 'status_reason'> {
  readonly held: boolean;
}

/** `wms number`. A token is read from a file, so that it does not appear in process lists. */
export function numberCommands(program: Command): void {
  const number = program.command('number').description('WhatsApp numbers');
  throughputCommand(number);
  listCommand(number);
  removeCommand(number);
  connectCommand(number);
  aboutWorkspace(
    number,
    'add',
    'add a number, once WhatsApp confirms its id, token and phone; the token is kept encrypted',
  )
    .requiredOption('--name <name>', 'name, 1 to 60 characters')
    .requiredOption('--phone <phone>', 'international, +55…')
    .requiredOption('--provider <provider>', 'sandbox, paired or cloud_api')
    .option('--phone-number-id <id>', "WhatsApp's id of the number; cloud_api needs it to connect")
    .option(
      '--business-account-id <id>',
      "WhatsApp's id of the business account; WhatsApp itself names it when it confirms the number",
    )
    .option(
      '--access-token-file <file>',
      'a file that holds the access token; cloud_api needs it to connect',
    )
    .option('--window', 'hold a sandbox number to the 24-hour window')
    .action((options: Add) =>
      perform(
        options,
        async (ctx, session) => {
          const added = await addConfirmed(ctx, newNumber(options), session);
          return {
            number_id: added.id,
            phone_number_id: added.phoneNumberId,
            business_account_id: added.businessAccountId,
            status: added.status,
            next: nextStep(added),
          };
        },
        (added) => [
          `number          ${added.number_id}`,
          `phone number id ${added.phone_number_id ?? '(not known yet)'}`,
          ...(added.business_account_id ? [`account         ${added.business_account_id}`] : []),
          `status          ${added.status}`,
          ...(added.next === null ? [] : [`next            ${added.next}`]),
        ],
      ),
    );
}

function connectCommand(number: Command): void {
  aboutWorkspace(
    number,
    'connect',
    'take a number into use again that WhatsApp turned away, or give it a new token',
  )
    .argument('<number>', 'the id of the number, num_…')
    .option('--access-token-file <file>', 'a file that holds the new access token')
    .option('--phone-number-id <id>', "WhatsApp's id of a number that had none yet")
    .option('--business-account-id <id>', "WhatsApp's id of the business account, also another one")
    .action((id: string, options: Connect) =>
      perform(
        options,
        async (ctx, session) => {
          const { accessTokenFile, phoneNumberId = null, businessAccountId = null } = options;
          const accessToken = accessTokenFile === undefined ? null : readText(accessTokenFile);
          const connection = { accessToken, phoneNumberId, businessAccountId };
          const before = await heldIn(session, ctx);
          const { status, heldAt } = await connectConfirmed(ctx, id, connection, session);
          return { number_id: id, status, hold_ended: before.has(id) && !heldAt };
        },
        ({ status, hold_ended }) => [
          `number ${id} is ${status}; campaigns that it paused wait to be resumed`,
          ...(hold_ended ? ['its hold has ended: what still waits for it goes out'] : []),
        ],
      ),
    );
}

function removeCommand(number: Command): void {
  aboutWorkspace(
    number,
    'remove',
    'remove a number with which nothing was sent or received yet, as after a typo',
  )
    .argument('<number>', 'the id of the number, num_…')
    .action((id: string, options: WorkspaceOptions) =>
      perform(
        options,
        (ctx) => removeNumber(ctx, id).then(() => ({ number_id: id, removed: true })),
        () => [`number ${id} is removed`],
      ),
    );
}

function listCommand(number: Command): void {
  aboutWorkspace(number, 'list', 'list the numbers, newest first').action(
    (options: WorkspaceOptions) =>
      perform(
        options,
        async (ctx, session) => {
          const numbers = await all(ctx, listNumbers);
          const held = await heldIn(session, ctx);
          return numbers.map((number) => ({ ...number, held: held.has(number.id) }));
        },
        (numbers) =>
          numbers.length === 0
            ? ['no number yet: wms number add']
            : table(
                numbers.map(({ id, name, phone, provider, ...standing }) => [
                  id,
                  phone ?? 'no phone',
                  provider,
                  inWords(standing),
                  name,
                ]),
              ),
      ),
  );
}

/** A number that is down for a reason of its own may be held besides. */
function inWords({ status, status_reason, held }: Standing): string {
  const why = new Set([
    ...(status_reason === null ? [] : [status_reason]),
    ...(held ? ['held'] : []),
  ]);
  return why.size === 0 ? status : `${status} (${[...why].join(', ')})`;
}

/** What a new number still lacks, as the command that gives it. */
function nextStep({ id, organizationId, ...number }: WhatsAppNumber): string | null {
  const { provider, status, phoneNumberId, accessToken } = number;
  if (provider !== 'cloud_api' || canSend(status)) return null;
  return [
    `wms number connect ${id} --workspace ${organizationId}`,
    ...(phoneNumberId === null ? ['--phone-number-id <id>'] : []),
    ...(accessToken === null ? ['--access-token-file <file>'] : []),
  ].join(' ');
}

/** What WhatsApp grants a number is told by nobody but WhatsApp's own pages. */
function throughputCommand(number: Command): void {
  aboutWorkspace(
    number,
    'throughput',
    "how fast WhatsApp takes a number's messages; campaigns keep to four fifths of it",
  )
    .argument('<number>', 'the id of the number, num_…')
    .addArgument(
      new Argument('<throughput>', 'shared: with the Business app').choices(
        Object.keys(THROUGHPUTS),
      ),
    )
    .action((id: string, throughput: Throughput, options: WorkspaceOptions) =>
      perform(
        options,
        async (ctx) => ({
          number_id: id,
          messages_a_minute: await setThroughput(ctx, id, throughput),
        }),
        (set) => [`number ${id} sends at most ${set.messages_a_minute} messages a minute`],
      ),
    );
}

function newNumber(options: Add): NewNumber {
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
    ...(accessTokenFile === undefined ? {} : { accessToken: readText(accessTokenFile) }),
  };
}
