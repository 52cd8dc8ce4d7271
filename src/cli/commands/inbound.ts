import type { Command } from 'commander';
import { givenUp, retryGivenUp } from '../../inbound/given-up.ts';
import { counted, createOutput } from '../output.ts';
import { withSession } from '../session.ts';

interface Common {
  readonly json?: boolean;
}

/** For what came from WhatsApp and could not be taken in (docs/operations.md, Inbound given up). */
export function inboundCommands(ops: Command): void {
  const inbound = ops
    .command('inbound')
    .description('what came from WhatsApp and was given up, because it failed at every try');
  const add = (name: string, description: string, isDefault = false): Command =>
    inbound
      .command(name, { isDefault })
      .description(description)
      .option('--json', 'print one JSON document');
  add('list', 'say when each came, to which number, and why it failed', true).action(list);
  add('retry', 'take all of it in again, once the cause is mended').action(retry);
}

const list = ({ json }: Common): Promise<void> =>
  withSession(async ({ database }) => {
    const found = await givenUp(database.system);
    createOutput(json).result(
      found.map(({ receivedAt, ...rest }) => ({ ...rest, received_at: receivedAt.toISOString() })),
      [
        ...found.map(
          ({ id, receivedAt, numbers, error }) =>
            `${receivedAt.toISOString()}  ${id}  ${error}  ${inWords(numbers)}`,
        ),
        found.length === 0
          ? 'Nothing was given up in the last two days.'
          : `${counted(found.length, 'was', 'were')} given up. The log says of each id why. Once that is mended: wms ops inbound retry`,
      ],
    );
  });

const inWords = (numbers: readonly { workspace: string; number: string }[]): string =>
  numbers.map(({ workspace, number }) => `${number} of ${workspace}`).join(', ') ||
  'no number that is known';

const retry = ({ json }: Common): Promise<void> =>
  withSession(async ({ database }) => {
    const retried = await retryGivenUp(database.system);
    createOutput(json).result({ retried }, [
      `${counted(retried, 'is', 'are')} due again. In three minutes wms ops inbound lists those that still fail.`,
    ]);
  });
