import { by, line, type Section } from '../../lines.ts';

const reached = (...tests: string[]) => by('security/ssrf-connect', ...tests);
const tenants = (...tests: string[]) => by('security/tenants', ...tests);
const rows = (...tests: string[]) => by('security/row-level-security', ...tests);
const atRest = (...tests: string[]) => by('security/secrets-at-rest', ...tests);

/** The groups of C1 and the rows of C3, C5 and C6. */
export const securityData: Section = {
  title: 'Security: addresses, workspaces, signatures, secrets',
  source: 'Design, security, C1, C3, C5 and C6',
  lines: [
    line(
      'C1, groups 1 to 8. An endpoint’s address in any spelling of what is not public: refused with its rule; what is good is kept as it is connected to',
      by(
        'security/ssrf-text',
        'the text of an endpoint URL › refuses %s: %j as %s',
        'the text of an endpoint URL › accepts %s and stores its canonical form',
      ),
      by(
        'webhooks/endpoints/creating',
        'refuses every address that its text gives away, and keeps none',
      ),
    ),
    line(
      'C1, groups 9 and 10. A name that resolves to a special address: blocked, nobody is connected to; the next address beside is not',
      reached('is blocked before any connection: %s', 'would otherwise have been reached'),
      by('net/addresses', 'never include %s', 'include %s'),
    ),
    line(
      'C1, group 11. Several addresses, changing answers, none: the vetted one is connected to, or nobody',
      reached(
        'is blocked as a whole: %s',
        'is resolved once for a connection, which goes to the address that was vetted',
        'never leads a vetted connection to the second answer',
        'may finish on a kept connection; the next connection is blocked',
        'is nobody’s failure when our own resolver is down',
      ),
    ),
    line(
      'C1, group 12. No redirect is followed',
      by(
        'security/ssrf-redirect',
        'is a failure and is not followed: %i',
        'by a Refresh header is no redirect at all',
      ),
    ),
    line(
      'C1, group 13; C6. Temporal and PostgreSQL are published nowhere, everything else on loopback',
      by(
        'security/compose',
        'cannot be reached by the host’s own public address: what is published is on loopback',
        'publish neither PostgreSQL nor Temporal',
      ),
    ),
    line(
      'C3. Another workspace’s id in a path, a body or a filter: as one that never was, with the filter and without; nothing changes',
      tenants(
        "%s answers the other workspace's record exactly like one that never was",
        "%s refuses the other workspace's record in %s like an unknown one, and changes nothing",
        '%s lists nothing of the other workspace, whatever the filter',
        "%s answers a filter by the other workspace's record like one by an unknown one",
        "%s refuses a cursor of the other workspace's",
      ),
      by('agent-tools/every-tool', "%s answers another workspace's record like one that never was"),
    ),
    line(
      'C3. What a member does not see: as if it were not there, in records, lists and webhooks',
      by(
        'security/visibility',
        'a member who sees %s › %s answers what is out of sight exactly like what never was',
        '%s shows nothing that is out of sight',
      ),
      by('webhooks/endpoints/visibility', 'gets what the member may see, and nothing else'),
    ),
    line(
      'C3. Row level security on every table of a workspace, for reading and writing; foreign keys within it; a new table without them fails',
      rows(
        'gives every table a workspace, or a reason why not',
        "forces row level security on every workspace's table, reading and writing",
        'keeps every foreign key between workspace tables inside the workspace',
        'runs the service as roles that cannot pass row level security',
        'sees nothing and writes nothing while it is bound to no workspace',
      ),
    ),
    line(
      'C3. Jobs cross workspaces only on the listed tables and columns',
      rows('lets the system role cross workspaces only on the listed tables and columns'),
    ),
    line(
      'C5. A webhook is signed over its bytes, each time anew; public verifiers take it and notice any change',
      by(
        'webhooks/signing/signature',
        'satisfies the public verifier with the secret that was shown',
        'is broken by one changed bit anywhere in the body',
        'is broken by another id or another timestamp',
        'is refused by a receiver when it is 5 minutes and 1 second old',
        'is whsec_ and the base64 of 32 random bytes, never the same twice',
      ),
      by('webhooks/signing/verifiers', 'with $name is judged as ours do by the public verifiers'),
    ),
    line(
      'C5. What comes as WhatsApp’s without its signature changes nothing; what is signed is stored, then answered',
      by(
        'inbound/receiving',
        'changes nothing, and is counted, without the right signature over its very bytes',
        'is stored before it is answered, once for all its repetitions',
        'refuses another token, another mode and none',
      ),
    ),
    line(
      'C5. Text of strangers is text: on a form, in a page, in a sheet',
      by(
        'forms/hostile',
        'are kept as text or refused beside their field, and never more than that (seed %i)',
      ),
      by('console/csv', 'quotes what a line cannot bear, and keeps formulas from being formulas'),
    ),
    line(
      'C6. A secret is encrypted for its row: moved, changed, cut or with another key it does not decrypt; no nonce twice',
      by(
        'crypto/keyring',
        'does not decrypt in another %s',
        'does not decrypt with one bit changed in any part',
        'does not decrypt when any number of characters is cut off',
        'never uses a nonce twice in 100,000 encryptions',
      ),
    ),
    line(
      'C6. A new key takes over without a gap, and the old one can be taken away',
      by(
        'crypto/rotation',
        'goes without a moment in which anything cannot be read, and in the end needs the old key no more',
      ),
    ),
    line(
      'C6. No secret, phone or text in any log, history or summary, and none in the clear in a table',
      atRest(
        'is in no value of any table',
        'is encrypted in the columns that are listed, and in no other',
        'is in no log at any level, nor is whom a message was for or what it said',
        'is in no workflow’s history, list or summary, nor is anybody’s phone, name or text',
      ),
      by('log/redaction', 'never holds %s'),
      by(
        'tracing/one-trace',
        'goes to the collector as the settings say, and names nobody and no secret',
      ),
    ),
    line(
      'C6. Each change has its audit entry, which the service cannot change or remove',
      by(
        'http/accepted',
        'does what its example says for an app, and the log names app and person',
      ),
      by(
        'audit/audit',
        'gives the service no right to %s it',
        'is one unbroken chain, however many write to it at once',
      ),
      rows('lets nobody change or remove an audit entry'),
    ),
    line(
      'C6. Of a receiver’s answer the first 500 characters are kept, as storable text',
      by(
        'net/answers',
        'is its first 500 characters, cut between characters',
        'is storable text, whatever bytes came',
      ),
    ),
  ],
};
