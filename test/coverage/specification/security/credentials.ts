import { by, line, type Section } from '../../lines.ts';

const key = (...tests: string[]) => by('security/api-key', ...tests);
const token = (...tests: string[]) => by('oauth/every-call', ...tests);
const codes = (...tests: string[]) => by('oauth/codes', ...tests);
const apps = (...tests: string[]) => by('oauth/apps', ...tests);
const consent = (...tests: string[]) => by('sign-in/consent', ...tests);
const registering = (...tests: string[]) => by('oauth/registration', ...tests);
const refused = (...tests: string[]) => by('oauth/refused-requests', ...tests);

/** The rows of C2, by their numbers. */
export const securityCredentials: Section = {
  title: 'Security: credentials',
  source: 'Design, security, C2',
  lines: [
    line(
      '1, 4. A credential that is missing, of another scheme or of a wrong shape: 401, the database is not asked',
      key(
        'is needed',
        'of a wrong shape is refused without asking the database: %s',
        'is accepted with the scheme in any case',
        'that is no good is called so, and not to whoever brought none',
      ),
      by('security/members', 'a token that stands for nobody › is refused: %.20s'),
    ),
    line(
      '2, 3. Two Authorization headers, or a token in the query, a cookie or the body: 401',
      key(
        'is refused when it comes in two headers, whichever is good',
        'is taken from the header alone: not from the query, a cookie or the body',
      ),
    ),
    line(
      '5. A key with one digit changed: 401, and as fast as any other',
      key('is refused with any one digit changed'),
      by(
        'security/key-traces',
        'is refused as fast when its beginning is right as when nothing is',
      ),
    ),
    line(
      '6, 7. A key ends at its expiry by the database’s clock, and once revoked at the next request of every process',
      key(
        'ends at its expiry, by the database’s clock',
        'is never accepted again once revoked, in any process, though requests are in flight',
      ),
    ),
    line(
      '8. A key is in no table, log, audit entry or Temporal history',
      by('security/key-traces', 'leaves no trace of itself: not in any table, nor in any log'),
      by(
        'security/secrets-at-rest',
        'is in no value of any table',
        'is in no workflow’s history, list or summary, nor is anybody’s phone, name or text',
      ),
    ),
    line(
      '9. An API key at the calls for apps alone: 403, whatever its scopes; refusals come in one order',
      by('oauth/drafts', '%s › refuses an API key with every scope, and makes nothing'),
      by(
        'http/door',
        'refuses in a fixed order: credential, address, method, scope, form, shape, id',
      ),
    ),
    line(
      '10, 11. Each route × each single scope: its own passes, every other is 403',
      by('security/scopes', 'is passed by its own scope and by no other of the specification'),
      key('opens exactly the routes of its scopes, whatever else it has'),
      by(
        'oauth/every-way',
        'lets in a token that has its scope and no other',
        'refuses a token that has every scope but its own, and says which one to ask for',
      ),
    ),
    line(
      '12. An app whose person lacks or loses a permission: 403 at the next call',
      by('security/members', 'loses a permission at the next call'),
      by(
        'security/permissions',
        'is closed at the next call when the person is suspended, or loses the permission',
      ),
      token('reaches only what the person may do at that moment'),
    ),
    line(
      '13. A person who loses the seat or leaves, an app that is disconnected: 401 at the next call, in every process',
      by('security/members', 'is refused at the next call, in every process, when the person %s'),
      token(
        'stops at the next call in every process when its app is disconnected, and so does the refresh token',
        'stops when the person leaves the workspace, and nothing of it is left',
      ),
    ),
    line(
      '14, 16. A JWT without algorithm, by our key as a secret, with keys or addresses of its own, with zeros or a changed claim as signed: 401',
      token(
        'is refused with no algorithm, with ours used as a secret, with a key of its own, with a signature of zeros',
      ),
    ),
    line(
      '15, 17. A JWT of our own with another issuer, audience, time, person, workspace or type: 401',
      token(
        'is refused though our key signed it, when a claim or the type is not right',
        'is for one resource',
        'without a resource is accepted nowhere',
      ),
    ),
    line(
      '18. A token of the signing key before goes on until it has ended',
      by(
        'oauth/signing-keys',
        'change while everything runs: tokens of the one before go on until they have ended',
      ),
    ),
    line(
      '19. A code is used once, by its client, address and verifier, for 60 seconds; again it ends what it gave. No request without PKCE by S256',
      codes(
        'is exchanged once, by one of eight that try at the same time, whose tokens stay good',
        'that is sent again later ends everything it gave',
        'is bound to its client, address, verifier and resource, and a wrong try does not use it up',
        'ends after 60 seconds',
      ),
      refused('with %j is refused at the app, in the query of its address: %s'),
    ),
    line(
      '20. A redirect address that is not exactly registered: a page of ours, no redirect; loopback may have another port',
      refused(
        'that is not registered leads nowhere: %s',
        'on a loopback address may have another port',
      ),
      registering('cannot have answers sent to %s'),
    ),
    line(
      '21. A refresh token again within 30 seconds: the first answer; later: the connection ends',
      codes(
        'that twenty send at the same time gives all of them the first answer',
        'that is sent again within 30 seconds gets the first answer, and later ends the connection',
      ),
    ),
    line(
      '22, 23. A client’s secret of before works for 24 hours or not at all; rotating needs a sign-in of 10 minutes',
      apps(
        'is rotated: the one before works for 24 hours, and the one before that no more',
        'is revoked at once when the rotation says so',
        'is rotated only by who signed in within the last 10 minutes',
      ),
    ),
    line(
      '24. Registration by anybody: thirty a minute from an address, hostile metadata refused, nothing fetched',
      registering(
        'is one of thirty in a minute from one address; the next waits',
        'is refused with %j: %s',
        'brings nothing that the server would fetch or show',
        'without a secret is held to PKCE, and one with a secret to the way it registered',
      ),
    ),
    line(
      '25. An app that is not verified: its own workspace and ten more, also in a race',
      apps('connects to its own workspace and ten more, also when many connect at the same time'),
    ),
    line(
      '26. Consent: by who may, in a workspace of theirs, with the form’s token, in no frame',
      consent(
        'lets nobody connect an app who may do so in no workspace',
        'offers the workspaces where the person has a seat, and takes no other',
        'is refused without the token of the session, and from another site',
        'is refused to a member who lost the seat while looking at it',
      ),
      by(
        'sign-in/forgery',
        'are shown inside no other page, load nothing from elsewhere, and are kept by nobody',
      ),
    ),
    line(
      '27. Introspection and revocation by another client: nothing is told, nothing happens',
      by(
        'oauth/looking-at-tokens',
        'tells nothing about tokens of others, or that are none, or that ended',
        'by another client changes nothing',
      ),
    ),
    line(
      '28. A token of the API at the agent tools, and the other way round: 401',
      by(
        'agent-tools/signing-in',
        'a token of the agent tools opens nothing of the API, and one of the API no tool',
      ),
    ),
  ],
};
