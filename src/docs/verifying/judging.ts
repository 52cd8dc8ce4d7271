import { eventIdOf } from './bodies.ts';
import { byEvidence, headersMissing } from './evidence.ts';
import { type DeliveryHeaders, type Pasted, readHeaders } from './pasted.ts';
import { fromProgram } from './program.ts';
import { type Fit, howSigned, listedIn } from './trying.ts';
import { refused, type Verdict } from './verdict.ts';

const TOLERANCE_S = 5 * 60;

/**
 * Verifies a pasted delivery (specification, Signature verification) and explains why it is refused, as far as that
 * can be determined; if it cannot, the sentences say so.
 *
 * @param now Unix seconds
 */
export async function judge(pasted: Pasted, now: number): Promise<Verdict> {
  const { found, missing, renamed } = readHeaders(pasted.headers);
  if (!found) return headersMissing(missing, renamed);
  if (pasted.secret.trim() === '' || pasted.body === '')
    return refused(null, 'Something is missing', 'Paste the secret and the body as well.');
  if (!/^[0-9]{1,12}$/.test(found.timestamp))
    return refused(
      'headers',
      'The timestamp was changed',
      `webhook-timestamp is in Unix seconds, like 1763640000. Here it is ${found.timestamp}.`,
    );
  const fit = await howSigned(pasted, found, eventIdOf(pasted.body));
  if (!fit) return byEvidence(pasted, found);
  return fromFit(fit, found) ?? (await fromProgram(pasted, found)) ?? fromClock(fit, found, now);
}

/** Null if the delivery is signed as it should be. */
function fromFit({ way, labelled }: Fit, headers: DeliveryHeaders): Verdict | null {
  if (way.id !== headers.id)
    return refused(
      'headers',
      'The webhook-id is of another delivery',
      `The signature fits with ${way.id}, the id of the body, in place of ${headers.id}.`,
    );
  if (way.key !== 'decoded')
    return refused(
      'key',
      'The secret was used as it is',
      'The signature was made with the text of the secret. Cut off whsec_ and decode the rest from base64.',
      'We never sign like this: a program of yours made this delivery.',
    );
  if (way.changed !== null)
    return refused(
      'body',
      'The body was changed',
      `The secret is right. The signature fits the body ${way.changed}.`,
      'If your program verifies what you pasted, this is why it refuses: hash the raw bytes, before anything parses or trims them. Copying can change a text too.',
    );
  if (labelled) return null;
  return refused(
    'comparison',
    'The header was cut at its comma',
    'The signature fits, but its prefix v1, is missing. Split the header at spaces only.',
  );
}

/** The signature is right, which leaves the timestamp. */
function fromClock({ index }: Fit, headers: DeliveryHeaders, now: number): Verdict {
  const rotation = rotationOf(index, listedIn(headers.signature).length);
  const ahead = Number(headers.timestamp) - now;
  if (Math.abs(ahead) <= TOLERANCE_S)
    return {
      verified: true,
      cause: null,
      title: 'Verified',
      sentences: [
        'Secret, headers and body belong together, and the timestamp is within 5 minutes.',
        ...rotation,
        'If your program refuses it, fill in what it computed as well: that tells which step differs.',
      ],
    };
  return refused(
    'clock',
    'The signature is right, the timestamp is not',
    `webhook-timestamp is ${inWords(Math.abs(ahead))} ${ahead < 0 ? 'before' : 'after'} the clock of this device. More than 5 minutes are refused.`,
    ahead < 0
      ? 'A delivery that you paste late looks like this, and is fine. If your server refused it when it came, its clock is wrong, or it stores deliveries and verifies them later.'
      : 'The clock of this device is behind, or someone changed the timestamp and signed again. Synchronise the clock (NTP).',
    ...rotation,
  );
}

function rotationOf(index: number, signatures: number): string[] {
  if (signatures < 2) return [];
  return index === 0
    ? ['Two secrets sign at present. This is the newer one.']
    : [
        'Your secret fits the second signature: it is the one from before a rotation, and stops within 24 hours of it. A program that compares only the first signature refuses.',
      ];
}

/** 7 530 s → `2 h 5 min`. */
function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
