import { by, line, type Section } from '../lines.ts';

export const calls: Section = {
  title: 'Every call',
  source:
    'Specification, Endpoints and Authentication: what holds for all of them, proved for each route of the table',
  lines: [
    line(
      'All calls need `Authorization: Bearer <token>` and the scope shown',
      by(
        'security/scopes',
        '%s › is passed by its own scope and by no other of the specification',
        'answers 401 with a challenge to whoever brings no valid key',
      ),
      by(
        'http/accepted',
        '%s › is answered, to a key and to a person, and leaves nothing in the log',
      ),
    ),
    line(
      'Each call does what it says, for a key and for a member through an app, and leaves an audit entry that names who did it',
      by(
        'http/accepted',
        '%s › does what its example says for an app, and the log names app and person',
        'does what its example says once when it is sent four times at once to two processes with one key, and the log names who did it',
        'leaves no entry when it is refused',
      ),
    ),
    line(
      'Mutating operations accept `Idempotency-Key`; the first response to a key is repeated',
      by(
        'http/every-route',
        'repeats its first answer to an Idempotency-Key, and refuses the key for anything else',
      ),
      by(
        'http/accepted',
        '%s › does what its example says once when it is sent four times at once to two processes with one key, and the log names who did it',
      ),
    ),
    line(
      'List operations accept `limit` and `cursor`',
      by(
        'http/every-list',
        'reads a limit of digits from 1 to 100, and no other spelling',
        'refuses every forged cursor',
      ),
    ),
    line(
      'Lists answer the page envelope `{data, next_cursor}`, newest first; `next_cursor` is null on the last page',
      by('http/cursors', 'walks every record once, newest first, and ends with null'),
      by(
        'http/paging',
        'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
      ),
    ),
    line(
      '`{id}` is a string id of the addressed record: of another shape, of another workspace or unknown it is the same 404',
      by(
        'http/every-route',
        'refuses an unknown parameter, and an id of another shape as one that names nothing',
      ),
      by(
        'security/tenants',
        "%s answers the other workspace's record exactly like one that never was",
      ),
    ),
    line(
      'Request and response bodies are JSON; each wrong or missing field of a body is named',
      by(
        'http/every-route',
        'answers any value in any field with success or a documented refusal',
        'names each field that is missing',
        'refuses what is not JSON, and a text with half a character in it',
      ),
      by('security/http-json', 'is not taken: %.40s'),
    ),
    line(
      'Ids are strings; `X|null` means that the key is always there and may be null',
      by(
        'contract/records',
        '%s has the specification’s fields first, each of its type, and every field is always there',
      ),
      by(
        'http/reply',
        'is what the schema lets out, null and all',
        'never leaves without a field, even when another one stands in its place',
      ),
    ),
    line(
      'Timestamps are ISO 8601 in UTC, dates are `YYYY-MM-DD`',
      by(
        'contract/records',
        '%s has the specification’s fields first, each of its type, and every field is always there',
      ),
      by('http/reply', 'never leaves with a wrong %s: %p'),
    ),
    line(
      'A workspace is the tenant: every token acts inside one workspace, also with the filter of the entity manager switched off',
      by(
        'security/tenants',
        "%s refuses the other workspace's record in %s like an unknown one, and changes nothing",
        '%s lists nothing of the other workspace, whatever the filter',
        "%s answers a filter by the other workspace's record like one by an unknown one",
        "%s does to a workspace's own record what it does with the filter",
      ),
      by(
        'security/row-level-security',
        "forces row level security on every workspace's table, reading and writing",
      ),
    ),
    line(
      'The full address is `{base_url}/api` and the path; the version is in it: `/api/v1`',
      by('http/openapi', 'describes exactly the routes that are served, each with its scope'),
      by(
        'security/http-wire',
        'never reaches an answer: addresses are built from the configured base alone',
      ),
    ),
    line(
      'The OpenAPI document holds every route, its parameters, bodies, answers, errors and headers, and the six webhooks',
      by(
        'contract/openapi',
        'is valid OpenAPI 3.1',
        'holds every route of the table and nothing else',
        'are the six of the specification, each with its headers',
      ),
    ),
  ],
};
