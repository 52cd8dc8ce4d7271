import { by, type Line, line } from '../../lines.ts';

const verify = (test: string) => by('clients/verify-webhook', test);
const signing = (test: string) => by('webhooks/signing/signature', test);

/** Signature verification, rotation and versions. */
export const signatures: readonly Line[] = [
  line(
    'Signature 1: over `{webhook-id}.{webhook-timestamp}.{raw body}`, the raw bytes',
    signing('is broken by one changed bit anywhere in the body'),
    signing('is broken by another id or another timestamp'),
  ),
  line(
    'Signature 2 and 3: `v1,` and base64 of HMAC-SHA256 with the decoded part of the secret after `whsec_`',
    signing('satisfies the public verifier with the secret that was shown'),
    signing('is whsec_ and the base64 of 32 random bytes, never the same twice'),
  ),
  line(
    'Signature 4: accepted if any listed signature matches',
    signing('carries two signatures while rotating, the new secret first'),
    verify('accepts either secret during a rotation, on either side'),
  ),
  line(
    'Signature 5: refused when the timestamp differs by more than 5 minutes',
    verify('refuses a delivery that is replayed after five minutes, or comes from the future'),
  ),
  line(
    'Rotation: a new secret, shown once; the previous one signs for 24 hours, the new key’s signature first; then only the new key',
    signing('carries two signatures while rotating, the new secret first'),
    by(
      'webhooks/signing/rotating',
      'shows a new one, which signs first; the one before signs too, for 24 hours',
      'twice within a day leaves the current and the previous one: never three',
    ),
  ),
  line(
    'Rotation: a lost secret is replaced by rotating',
    by(
      'webhooks/signing/rotating',
      'mends an endpoint whose stored secret is damaged: the new one signs alone',
    ),
  ),
  line(
    'Versioning: the scheme label of signatures is `v1`',
    verify('refuses the signature of another secret, or of another scheme'),
  ),
  line(
    '§26 New enum values and fields are additive: our own client tolerates them',
    by('clients/retrying', 'passes on fields and enum values that it does not know'),
  ),
];
