import { randomInt } from 'node:crypto';
import type { Context } from '../../../src/context.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import type { WhatsAppNumber } from '../../../src/numbers/entities.ts';
import { addNumber, type NewNumber } from '../../../src/numbers/service.ts';

/** The keyring of the tests: what one file encrypts another can read. */
export const testKeyring = createKeyring(`test:${Buffer.alloc(32, 7).toString('base64')}`);

/** A connected number of the sandbox, without a window, unless told otherwise. */
export const aNumber = (ctx: Context, wishes: Partial<NewNumber> = {}): Promise<WhatsAppNumber> =>
  addNumber(
    ctx,
    {
      name: 'Vendas',
      phone: `+55119${randomInt(60_000_000, 100_000_000)}`,
      provider: 'sandbox',
      ...wishes,
    },
    testKeyring,
  );
