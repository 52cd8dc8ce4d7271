import type { DeliveryHeaders, Pasted } from './pasted.ts';
import { howComputed, isHex, type Way, WHOLE } from './trying.ts';
import { refused, type Verdict } from './verdict.ts';

/** Explains what the person's program computed, for a valid delivery. Null if nothing was given. */
export async function fromProgram(
  pasted: Pasted,
  headers: DeliveryHeaders,
): Promise<Verdict | null> {
  if (pasted.computed.trim() === '') return null;
  const way = await howComputed(pasted, headers);
  if (!way)
    return refused(
      'secret',
      'Your program has another secret or another body',
      'The delivery is right, and what your program computed comes from neither this secret nor this body, in none of the usual ways.',
      'Log the length of the body and the first characters of the secret in it, and compare them with these.',
    );
  return wrongWay(way, isHex(pasted.computed));
}

function wrongWay({ key, changed, content }: Way, hex: boolean): Verdict {
  if (key !== 'decoded')
    return refused(
      'key',
      'Your program uses the secret as it is',
      `Its key is ${key}, and not decoded. Cut off whsec_ and decode the rest from base64.`,
    );
  if (changed !== null)
    return refused(
      'body',
      'Your program signs a body that was changed',
      `It signs the body ${changed}. Hash the raw bytes, before anything parses or trims them.`,
    );
  if (content !== WHOLE)
    return refused('content', 'Your program signs a part', `It signs ${content}, not ${WHOLE}.`);
  return refused(
    'comparison',
    'Your program compares wrongly',
    hex
      ? 'It computes the right signature, but in hexadecimal digits. The header has base64.'
      : 'It computes the right signature. If it still refuses, it compares wrongly, or finds the timestamp more than 5 minutes from its clock.',
    'Split the header at spaces, and accept if any of its parts is v1, and what you computed.',
  );
}
