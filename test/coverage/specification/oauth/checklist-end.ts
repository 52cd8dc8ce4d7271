import { by, type Line, line } from '../../lines.ts';

const addresses = (...tests: string[]) => by('oauth/addresses', ...tests);
const requests = (...tests: string[]) => by('oauth/requests', ...tests);
const registration = (...tests: string[]) => by('oauth/registration', ...tests);
const consent = (...tests: string[]) => by('sign-in/consent', ...tests);
const door = (...tests: string[]) => by('agent-tools/door', ...tests);

/** Rows 23 to 43 of the design's checklist. */
export const oauthChecklistEnd: readonly Line[] = [
  line(
    '23. Sign-in brute force: limits per account and address, the same answer for unknown accounts',
    by(
      'sign-in/guessing',
      'is stopped after five, also at the same moment and with the right one',
      'is counted for unknown accounts as for known ones',
      'is counted by account over all addresses, and by address over all accounts',
    ),
    by(
      'sign-in/signing-in',
      'answers an unknown account, a wrong password and an invited person alike',
    ),
  ),
  line(
    '24. Registration: size, count, field allow list, rate limit',
    registration(
      'is refused with %j: %s',
      'brings nothing that the server would fetch or show',
      'is one of thirty in a minute from one address; the next waits',
    ),
  ),
  line(
    '25. Dangerous schemes: javascript, data, file, vbscript, custom, fragment, credentials, wildcard',
    registration(
      'cannot have answers sent to %s',
      'keeps the redirects that may be used where a program names one of its own scheme beside them',
    ),
  ),
  line(
    '26. Unused registered clients expire',
    by(
      'oauth/upkeep',
      'removes clients that registered and were never used in a day, or not for 90, and keeps apps',
    ),
  ),
  line(
    '27. Names: control and bidi characters refused, escaped, "not verified", host shown, loopback warned',
    registration('is refused with %j: %s', 'is shown as registered by an unknown party'),
    by('oauth/apps', 'is refused with %j'),
    consent(
      'says who asks, for what, what it cannot do, and where the browser goes',
      'warns of a program on the same computer',
    ),
  ),
  line(
    '28. SSRF: what a client names is dropped and nothing fetched; metadata documents are off',
    registration('brings nothing that the server would fetch or show'),
    addresses('offers nothing that is off on purpose'),
  ),
  line(
    '29. Host header, absolute addresses',
    addresses('never repeats the Host header, nor what a proxy that nobody trusts says'),
  ),
  line('30. Path tricks around limits', addresses('%s does not exist')),
  line(
    '31. CORS: no cookies, `*` only where safe, none on authorize',
    addresses('is open to clients in browsers, without cookies, except where a person goes'),
  ),
  line(
    '32. 303 redirects, never 307; `no-store`; `no-referrer`; nothing third-party on consent',
    consent(
      'sends the person to sign in first, back again, and on to the app with a code',
      'says who asks, for what, what it cannot do, and where the browser goes',
    ),
    addresses('answers with tokens that no cache keeps, and with no referrer'),
  ),
  line(
    '33. Client cannot pose as person: id prefixes differ',
    registration(
      'gets an id and a secret that is shown only once, and works for any person who authorizes it',
    ),
    by('oauth/apps', 'is created with a secret that is shown once, and listed without it'),
  ),
  line(
    '34. Unverified app: own workspace plus 10, also in a race',
    by(
      'oauth/apps',
      'connects to its own workspace and ten more, also when many connect at the same time',
    ),
  ),
  line(
    '35. Keys: rotation without private parts in JWKS; encrypted at rest',
    by(
      'oauth/signing-keys',
      'change while everything runs: tokens of the one before go on until they have ended',
      'are public without their private part, the next one among them, and encrypted where they are kept',
    ),
  ),
  line(
    '36. TLS only, `Secure` and `__Host-` cookies, trusted proxy headers',
    by(
      'oauth/deployment',
      'keeps a request in cookies that are signed, for TLS and for no script, and in none of the library’s own',
    ),
    by(
      'sign-in/forgery',
      'has a cookie that goes over TLS alone and that no neighbour of the domain can plant',
    ),
    by('http/client-ip', 'is the socket’s, whatever a header says, when no proxy is trusted'),
  ),
  line(
    '37. Rate limits on token (for each client and address), introspect, authorize',
    by(
      'oauth/limits',
      'a client is refused 240 times from one address and then has to wait, which stops nobody else',
      'an address may do so 600 times for all clients together, and begin 120 requests of people',
      'each place that anybody may call counts, and says when to come again',
    ),
  ),
  line(
    '38. Secret rotation needs sign-in within 10 minutes; audit entries',
    by('oauth/apps', 'is rotated only by who signed in within the last 10 minutes'),
    by(
      'oauth/logged',
      'tells who made, changed, rotated, connected and deleted an app, and names the app beside the person in what it does',
    ),
  ),
  line(
    '39. `prompt=login`, `max_age` honoured by our page',
    consent('asks for a new sign-in when the app wishes it: %j'),
    requests('that asks for a new sign-in is approved after one: %j'),
  ),
  line(
    '40. MCP endpoint: Origin check, no token passthrough, session id is not authentication',
    door(
      'is refused when a page of another site asks, whatever the token',
      'is not let in by a session id, a cookie or a token in the query',
      'keeps no session and holds no stream open',
      'passes the token on to nobody: no tool asks another server for anything',
    ),
  ),
  line(
    '41. 403 `insufficient_scope` with `scope` and `resource_metadata`',
    door('tells a client which scopes to ask for when the token lacks the one of a tool'),
    by(
      'oauth/every-way',
      'refuses a token that has every scope but its own, and says which one to ask for',
    ),
  ),
  line(
    '42. Sender-constrained tokens: off on purpose',
    addresses('offers nothing that is off on purpose'),
  ),
  line(
    '43. A real browser, and clients that nobody here wrote',
    by(
      'browser/connecting-an-app',
      'an app is registered, connected by a person, used, and disconnected, all in a browser and by keyboard',
    ),
    by(
      'oauth/real-clients',
      'finds the server, signs a person in, refreshes, looks at its token and revokes it',
      'registers itself, pushes its request and gets tokens',
    ),
    by(
      'agent-tools/signing-in',
      'an agent finds the server, registers, is let in by a person, calls tools and renews its token',
    ),
  ),
];
