import { by, line, type Section } from '../../lines.ts';
import { oauthChecklistEnd } from './checklist-end.ts';

const addresses = (...tests: string[]) => by('oauth/addresses', ...tests);
const refused = (...tests: string[]) => by('oauth/refused-requests', ...tests);
const codes = (...tests: string[]) => by('oauth/codes', ...tests);
const everyCall = (...tests: string[]) => by('oauth/every-call', ...tests);
const requests = (...tests: string[]) => by('oauth/requests', ...tests);
const registration = (...tests: string[]) => by('oauth/registration', ...tests);
const consent = (...tests: string[]) => by('sign-in/consent', ...tests);
const door = (...tests: string[]) => by('agent-tools/door', ...tests);

const NOT_OURS = [
  'is refused though our key signed it, when a claim or the type is not right',
  'is refused with no algorithm, with ours used as a secret, with a key of its own, with a signature of zeros',
] as const;
const BAD_REQUEST = 'with %j is refused at the app, in the query of its address: %s';
const BAD_ADDRESS = 'that is not registered leads nowhere: %s';
const FROM_ANYBODY =
  '%j of a client that anybody registered is refused on a page of ours with a link';
const TWENTY_TIMES = 'that twenty send at the same time gives all of them the first answer';
const TOO_LATE =
  'that is sent again within 30 seconds gets the first answer, and later ends the connection';

/** The rows of the design's checklist, in its order: each of them is a test of ours. */
export const oauthChecklist: Section = {
  title: 'Security of the authorization server',
  source: 'Design, OAuth, Security checklist',
  lines: [
    line(
      '1. Mix-up: `iss` in every answer and advertised; one issuer, byte for byte',
      by('oauth/flow', 'gets a new pair for its refresh token, and its state and the issuer back'),
      refused(BAD_REQUEST),
      addresses('names every address of the specification, below one issuer'),
    ),
    line(
      '2. Redirect URI compared exactly; only the loopback port may differ',
      refused(BAD_ADDRESS, 'on a loopback address may have another port'),
    ),
    line(
      '3. Unknown client or URI: error page, no redirect',
      refused(BAD_ADDRESS, 'is not looked at for a client that nobody knows'),
      consent('leads nowhere when the app has given up the address since its request'),
    ),
    line('4. No blind error redirect for clients anybody registered', refused(FROM_ANYBODY)),
    line(
      '5. Open redirect in our sign-in `next`',
      by('sign-in/signing-in', 'never leads on to another site: %j'),
    ),
    line(
      '6. PKCE S256 for every client, no plain, no downgrade; advertised in both metadata documents',
      refused(BAD_REQUEST),
      registration(
        'without a secret is held to PKCE, and one with a secret to the way it registered',
      ),
      addresses(
        'names every address of the specification, below one issuer',
        'is the same wherever a client looks for it',
      ),
    ),
    line(
      '7. Code: 60 s, bound to client, URI, verifier, resource; single use also in a race',
      codes(
        'is exchanged once, by one of eight that try at the same time, whose tokens stay good',
        'is bound to its client, address, verifier and resource, and a wrong try does not use it up',
        'ends after 60 seconds',
      ),
    ),
    line(
      '8. Code replay revokes refresh and access tokens',
      codes('that is sent again later ends everything it gave'),
    ),
    line(
      '9. Refresh: rotation, reuse kills the grant, race-safe, 30 days, bound to client, scope and resource',
      codes(
        TWENTY_TIMES,
        TOO_LATE,
        'is not used up by a request that is refused',
        'lives for 30 days from each rotation',
      ),
    ),
    line(
      '10. No implicit, password, client_credentials, device, front-channel tokens',
      addresses('gives no token by the grant %s', '%s does not exist'),
      refused(BAD_REQUEST),
    ),
    line(
      '11. Audience per resource, `typ: at+jwt`, fixed algorithm list, required claims; ID token is no access token',
      everyCall('is for one resource', ...NOT_OURS),
      requests('tells the app who the person is, in a token that opens nothing else'),
      by(
        'agent-tools/signing-in',
        'a token of the agent tools opens nothing of the API, and one of the API no tool',
      ),
    ),
    line(
      '12. alg none, HS256 with the public key, foreign issuer, expired, swapped member or workspace',
      everyCall(...NOT_OURS),
    ),
    line(
      '13. Token or secret in the query refused',
      addresses('takes nothing from the query where secrets are sent, and no body without an end'),
      door('is not let in by a session id, a cookie or a token in the query'),
    ),
    line(
      '14. Immediate effect of disconnect, leaving, seat, Viewer, app deletion',
      everyCall(
        'stops at the next call in every process when its app is disconnected, and so does the refresh token',
        'stops when the app is deleted',
        'stops when the person %s, and cannot be refreshed',
        'stops when the person leaves the workspace, and nothing of it is left',
      ),
      by('oauth/every-way', 'is closed from the next call on when %s'),
    ),
    line(
      '15. Secrets: 256 bit, hashed, placeholder and hash themselves refused',
      registration(
        'gets an id and a secret that is shown only once, and works for any person who authorizes it',
        'without a secret is held to PKCE, and one with a secret to the way it registered',
      ),
      by('oauth/apps', 'is created with a secret that is shown once, and listed without it'),
    ),
    line(
      '16. Codes and tokens stored as hashes only',
      codes('has no code, token or secret in it that could be used'),
    ),
    line(
      '17. Introspection and revocation only of a client’s own tokens',
      by(
        'oauth/looking-at-tokens',
        'tells nothing about tokens of others, or that are none, or that ended',
        'by another client changes nothing',
      ),
    ),
    line(
      '18. Clickjacking: `frame-ancestors` on consent, sign-in and error pages, X-Frame-Options on the first two',
      consent('says who asks, for what, what it cannot do, and where the browser goes'),
      by(
        'sign-in/forgery',
        'are shown inside no other page, load nothing from elsewhere, and are kept by nobody',
      ),
      refused(BAD_ADDRESS, FROM_ANYBODY),
    ),
    line(
      '19. CSRF on consent: bound to session and request, Origin and Sec-Fetch-Site',
      consent(
        'is refused without the token of the session, and from another site',
        'is of what the person saw: an app that is changed meanwhile is shown once more',
      ),
    ),
    line(
      '20. Consent bound to the browser and person that began; a passed-on link is dead; resume needs its cookie',
      consent(
        'belongs to the browser that began: a link that was passed on is dead',
        "belongs to the person who saw the page: another's sign-in in between makes it useless",
      ),
      requests('is answered by the browser that began it, and by no other'),
    ),
    line(
      '21. Session fixation: new id at sign-in; no second session in the library',
      by(
        'sign-in/signing-in',
        'gives a new session each time, and the one that the browser had before is over',
      ),
      by(
        'oauth/deployment',
        'keeps a request in cookies that are signed, for TLS and for no script, and in none of the library’s own',
      ),
    ),
    line(
      '22. Another person on the same browser gets their own token',
      requests(
        'is asked of the person each time, and tokens are of who answered, though the browser is the same',
      ),
    ),
    ...oauthChecklistEnd,
  ],
};
