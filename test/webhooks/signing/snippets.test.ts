import { describe, expect, it } from '@jest/globals';
import {
  decodeSecret,
  newSecret,
  signatureHeaders,
} from '../../../src/webhooks/signing/signature.ts';
import { type Fault, verifyCases } from '../../support/verifying/cases.ts';
import { hangUpOn, startDocumented } from '../../support/verifying/receivers.ts';
import { isPresent, snippets, verdictsOf } from '../../support/verifying/snippets.ts';
import { eventually } from '../../support/waiting.ts';

/** All five say the same, so that one paragraph of the documentation serves them. */
const SENTENCES: Readonly<Record<Fault, RegExp>> = {
  headers: /^The header webhook-(id|timestamp|signature) is missing\.$/,
  timestamp:
    /^webhook-timestamp is (not in Unix seconds|more than 5 minutes from the clock here)\.$/,
  signature: /^No signature matches: another secret, or not the raw body\.$/,
  secret: /^A secret is whsec_ and the base64 of its key\.$/,
};

const body = JSON.stringify({ id: 'evt_1', type: 'message.received', text: 'Olá 👋' });

const faultIn = (said: string): string | null => {
  if (said === '') return null;
  const found = Object.entries(SENTENCES).find(([, sentence]) => sentence.test(said));
  return found?.[0] ?? said;
};

describe.each(snippets)('the verifier for $language in the documentation', (snippet) => {
  const here = isPresent(snippet);
  const reason = here ? '' : ` (skipped: no ${snippet.command[0]} on this machine)`;
  const where = here ? it : it.skip;

  where(
    `accepts what is genuine and says why it refuses anything else${reason}`,
    () => {
      const said = verdictsOf(snippet, verifyCases);

      expect(verifyCases.map(({ name }, n) => [name, faultIn(said[n] ?? 'nothing')])).toEqual(
        verifyCases.map(({ name, fault }) => [name, fault]),
      );
    },
    300_000,
  );

  where(
    `is used by a receiver that outlives a caller who hangs up, answers 204 to a delivery, with either secret, and 400 to a changed one${reason}`,
    async () => {
      const current = newSecret();
      const previous = newSecret();
      const receiver = await startDocumented(snippet, [current, previous]);
      const answerTo = async (secret: string, sent: string): Promise<number> => {
        const timestamp = Math.floor(Date.now() / 1_000);
        const signed = signatureHeaders({ id: 'evt_1', timestamp, body }, [decodeSecret(secret)]);
        const headers = { ...signed, 'content-type': 'application/json' };
        return (await fetch(receiver.url, { method: 'POST', headers, body: sent })).status;
      };
      try {
        await hangUpOn(receiver);
        const answers = [
          await answerTo(current, body),
          await answerTo(previous, body),
          await answerTo(newSecret(), body),
          await answerTo(current, body.replace('Olá', 'Ola')),
        ];

        expect(answers).toEqual([204, 204, 400, 400]);
        const why = 'No signature matches: another secret, or not the raw body.';
        await eventually(() => receiver.said().includes(why), {
          timeoutMs: 10_000,
          instead: receiver.said,
        });
      } finally {
        await receiver.stop();
      }
    },
    300_000,
  );
});
