import { by, line, type Section } from '../../lines.ts';

const json = (...tests: string[]) => by('security/http-json', ...tests);
const query = (...tests: string[]) => by('security/http-query', ...tests);
const wire = (...tests: string[]) => by('security/http-wire', ...tests);
const cursor = (...tests: string[]) => by('http/cursors', ...tests);
const once = (...tests: string[]) => by('security/idempotency', ...tests);
const limit = (...tests: string[]) => by('security/rate-limit', ...tests);

/** The rows of C4, by their numbers. */
export const securityHttp: Section = {
  title: 'Security: HTTP, JSON, cursors, idempotency',
  source: 'Design, security, C4',
  lines: [
    line(
      '1. A body that is no JSON object, whatever is wrong with it: 400',
      json('a body that cannot be read › is refused: %s', 'is refused when it is missing'),
      by('http/every-route', 'refuses what is not JSON, and a text with half a character in it'),
    ),
    line(
      '2, 3. Another type, or a compressed body: 415, nothing is inflated',
      json('is not taken: %.40s', 'is not inflated: %s'),
    ),
    line(
      '4. A byte over the limit, or fewer or more bytes than said: 413, 408, 400',
      json(
        'is read up to 1 MiB and refused one byte later',
        'is refused when its length is not said either',
      ),
      wire(
        'is cut off when it sends more than it said',
        'has 5 seconds for its headers and 10 for its body',
      ),
    ),
    line(
      '5, 6. Nesting of thousands, a hundred thousand keys: 400, and nobody else notices',
      json(
        'costs no time that others would notice',
        'is answered briefly, however many mistakes it has',
      ),
    ),
    line(
      '7, 9. Keys of prototypes, and fields that are not the caller’s to set: refused as unknown',
      json('takes no field it does not have: %s'),
      by('http/every-route', 'names a field it does not have'),
    ),
    line('8. Of two equal keys the last counts', json('takes the last of two equal keys')),
    line(
      '10. NUL and half characters are refused with their place; every other character is kept as it is',
      json(
        'names the place of a character that cannot be stored',
        'keeps every character it takes: emoji, right-to-left marks, combining ones',
      ),
      by('webhooks/endpoints/creating', 'counts a name in characters, not in code units'),
    ),
    line('11. No infinity, fraction, text or truth for a count', json('takes no %s for a count')),
    line(
      '12, 13. Impossible dates, ranges and limits: refused by digits, not by what they could be read as',
      query('cannot read the limit %p', 'does not take the limit %s'),
      by('http/every-list', 'reads a limit of digits from 1 to 100, and no other spelling'),
      by('http/every-route', 'answers any value in any field with success or a documented refusal'),
    ),
    line(
      '14. An unknown parameter: 400, everywhere alike',
      query('knows no parameter %s', 'refuses parameters on calls that have none'),
      by('http/every-list', 'refuses a parameter that is given twice'),
    ),
    line('15. A path with tricks in it: 404 or 400', wire('that names nothing is not found: %s')),
    line(
      '16. Other methods: 405 with those there are, 501, 400; no header overrides',
      wire(
        'is answered with those it has: %s',
        'is not implemented when nothing has it, and is never overridden by a header',
        'opens no tunnel',
      ),
    ),
    line(
      '17. Host and forwarded headers: refused or ignored; addresses are of the configured base',
      wire(
        'the Host of a request › is refused: %s',
        'never reaches an answer: addresses are built from the configured base alone',
      ),
      by(
        'http/client-ip',
        'is the socket’s, whatever a header says, when no proxy is trusted',
        'trusts nobody but the named networks',
      ),
    ),
    line(
      '18. What smuggles: two lengths, other encodings, bare line feeds, folded headers, HTTP/0.9, HTTP/2: refused',
      wire('what is not proper HTTP/1.1 › is refused: %s'),
    ),
    line(
      '20. Slow senders, a connection of a thousand requests: ended, and no database connection is held',
      wire(
        'holds no database connection while its body is on the way',
        'gets at most 1,000 answers on one connection',
      ),
    ),
    line(
      '21. A hundred thousand characters at each pattern: no time',
      by('security/every-text', 'is judged in no time, however long and strange the text'),
    ),
    line('22. `%`, `_` and `\\` in a search are themselves', query('compares text literally')),
    line(
      '23, 24. An error says nothing of ours; security headers everywhere, no CORS at the API',
      by(
        'http/door',
        'keeps what a secret detail of ours was to itself, and undoes what had begun',
        'carries the security headers, never CORS, and HSTS only where the base URL is https',
      ),
    ),
    line(
      '25. 600 requests in any minute for each credential, over all processes; refusals of an address are counted',
      limit(
        'lets exactly 600 requests through in a minute, over two processes',
        'is each key’s own',
      ),
      by('security/rate-window', '600 requests in one second › leave none %i seconds later'),
      by('http/refusals', 'are counted for a minute of the clock, each address by itself'),
    ),
    line(
      'A forged cursor, of another list, workspace, filter or key: 400. Of a deleted row it goes on',
      cursor(
        'is refused with any one bit changed, cut short, or longer',
        'is refused by another workspace, with other filters and at another list',
        'ends with the key that sealed it',
        'goes on behind a record that was deleted',
      ),
      by('http/every-list', 'refuses every forged cursor'),
    ),
    line(
      'An `Idempotency-Key` again: the same answer, one effect, also from two processes at once',
      once(
        'happens once, and its answer is repeated to the letter',
        'happens once when twenty are sent at the same time to two processes',
        'is the same request with its keys in another order and other white space',
      ),
      by(
        'http/accepted',
        'does what its example says once when it is sent four times at once to two processes with one key, and the log names who did it',
      ),
    ),
    line(
      'An `Idempotency-Key` for another request, of another credential or workspace, or malformed: refused or independent',
      once(
        'is refused when the key was used for another body, route, id, query or method',
        'belongs to one credential of one workspace',
        'is refused before anything happens when the key is %p',
      ),
      by('security/tenants', "do not share an idempotency key's answer"),
    ),
    line(
      'What settles nothing runs again; a refusal is repeated; 24 hours later it is forgotten',
      once(
        'runs again after an answer that settles nothing: 400, 401, 429, 5xx',
        'repeats a refusal too: the effect was undone, the answer stays',
        'is forgotten 24 hours after the first answer, and not earlier',
      ),
      by('http/old-answers', 'are deleted after 24 hours, and not earlier'),
    ),
    line(
      'A secret that was shown once is repeated for its key, and kept encrypted',
      once('repeats a secret that was shown once, and keeps no readable copy of it'),
    ),
    line(
      'Fifty that ask at once for the last place of a plan: it holds',
      by('webhooks/endpoints/creating', 'never goes over the plan, however many ask at once'),
    ),
  ],
};
