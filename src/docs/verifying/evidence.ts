import { eventIdOf, lookOf } from './bodies.ts';
import { type DeliveryHeaders, decoded, type Pasted, secretText } from './pasted.ts';
import { listedIn } from './trying.ts';
import { refused, type Verdict } from './verdict.ts';

/** A secret of ours is `whsec_` and the base64 of 32 bytes. */
const KEY_BYTES = 32;

export function headersMissing(missing: readonly string[], renamed: readonly string[]): Verdict {
  const instead =
    renamed.length > 0 ? [`There is ${renamed.join(', ')}: something renamed it on the way.`] : [];
  return refused(
    'headers',
    'A header is missing',
    `Not found: ${missing.join(', ')}. Each delivery carries all three.`,
    ...instead,
    'Paste the lines as they came, one header each. A proxy that lets only known headers through drops them.',
  );
}

/** No signature fits, so only the parts themselves can be examined. */
export function byEvidence({ secret, body }: Pasted, headers: DeliveryHeaders): Verdict {
  const bodyId = eventIdOf(body);
  if (decoded(secretText(secret).base64)?.length !== KEY_BYTES)
    return refused(
      'secret',
      'This is not a whole secret',
      'A secret is whsec_ and 44 characters of base64. Copy it again, or rotate: it is shown only once.',
    );
  if (listedIn(headers.signature).length === 0)
    return refused(
      'headers',
      'The signature was cut off',
      'webhook-signature is v1, and 44 characters, or several of these with spaces between.',
    );
  if (bodyId !== null && bodyId !== headers.id)
    return refused(
      'headers',
      'Headers and body are of two deliveries',
      `webhook-id is ${headers.id}, the id of the body is ${bodyId}. They are always the same.`,
    );
  return byLook(body);
}

const LOOKS = {
  'no JSON': 'It is not JSON: cut off, or printed by a program after parsing.',
  'no event': 'It is not a whole event: that has id, type, version, timestamp and data.',
  'written again':
    'We send one line without spaces between its parts, id first and data last. This one was parsed and written again.',
} as const;

function byLook(body: string): Verdict {
  const look = lookOf(body);
  if (look !== 'as sent')
    return refused(
      'body',
      'The body was changed',
      LOOKS[look],
      'Hash the raw bytes, before anything parses them. Whether the secret is right cannot be told before the body is.',
    );
  return refused(
    'secret',
    'Most likely another secret',
    'The body looks as we send it, and has the id of the headers. So the secret is of another endpoint or environment, or from before a rotation more than 24 hours ago.',
    'It cannot be told for sure: a value in the body, or a header, may have been changed instead. Take the body from the delivery in the API, and rotate if the secret is lost.',
  );
}
