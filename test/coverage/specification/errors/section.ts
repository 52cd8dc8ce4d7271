import { by, failure, line, type Section } from '../../lines.ts';
import { businessErrors } from './business.ts';

const door = (test: string) => by('http/door', test);
const order = door('refuses in a fixed order: credential, address, method, scope, form, shape, id');

export const errors: Section = {
  title: 'Errors',
  source: 'Specification, Errors, and design decisions §14: every row and every code',
  lines: [
    line(
      'The envelope `{error: {code, message, details, request_id, doc_url}}`; `request_id` is the header `X-Request-Id` too',
      door('names itself: one request id in header and body, never the caller’s'),
      door('names itself also to whoever expects what nobody knows, and is answered as ever'),
      door('keeps what a secret detail of ours was to itself, and undoes what had begun'),
      by('http/every-route', 'answers any value in any field with success or a documented refusal'),
    ),
    line(
      'An RFC 9457 document for whoever accepts `application/problem+json`',
      door('speaks RFC 9457 to those who ask for it'),
      door('reads who asks for it from Accept: %s is answered as %s'),
    ),
    line(
      '`doc_url` leads to a page for each code',
      by(
        'docs/pages',
        'says of %s what it means, when it comes and what to do',
        'is where the doc_url of a refusal leads',
      ),
    ),
    failure(
      'bad_request',
      400,
      'not JSON, or a parameter that cannot be read',
      by('http/every-route', 'refuses what is not JSON, and a text with half a character in it'),
      by('http/every-list', 'reads a limit of digits from 1 to 100, and no other spelling'),
    ),
    failure(
      'invalid_cursor',
      400,
      'tampered, or of another list, filter, workspace',
      by(
        'http/cursors',
        'is refused with any one bit changed, cut short, or longer',
        'is refused by another workspace, with other filters and at another list',
      ),
      by('http/every-list', 'refuses every forged cursor'),
    ),
    failure(
      'invalid_idempotency_key',
      400,
      'not 1 to 200 of letters, digits, `-`, `_`',
      by('security/idempotency', 'is refused before anything happens when the key is %p'),
    ),
    failure(
      'unauthorized',
      401,
      'no token, or token unknown, expired or revoked, with `WWW-Authenticate: Bearer`',
      by('security/scopes', 'answers 401 with a challenge to whoever brings no valid key'),
      by(
        'security/api-key',
        'ends at its expiry, by the database’s clock',
        'is never accepted again once revoked, in any process, though requests are in flight',
      ),
    ),
    failure(
      'unauthorized',
      401,
      'the member left the workspace, lost the seat or became a Viewer',
      by(
        'security/members',
        'is refused at the next call, in every process, when the person %s',
        'is refused when the person has left the workspace, or never was there',
      ),
      by('security/permissions', 'is closed to an app whose person is a Viewer'),
    ),
    failure(
      'forbidden',
      403,
      'the token lacks the route’s scope',
      by(
        'security/scopes',
        '%s › is passed by its own scope and by no other of the specification',
        '%s › tells whoever may not make the call just that, however little of it can be read',
      ),
      by('security/api-key', 'names the scope it lacks'),
    ),
    failure(
      'forbidden',
      403,
      'the member lacks the required permission',
      by(
        'security/permissions',
        'asks an %s in the console for the permission',
        'is closed at the next call when the person is suspended, or loses the permission',
      ),
    ),
    failure(
      'oauth_required',
      403,
      'an API key on `POST /v1/automations`, `POST /v1/forms`, `POST /v1/segments/rules`',
      by('automations/drafts', 'is for people and their apps: a key is told so'),
      by(
        'forms/drafting',
        'answers a person 201 with the id alone, and an API key 403 oauth_required',
      ),
      by('segments/segments-api', 'is never made by an API key'),
      by(
        'security/scopes',
        '%s › tells whoever may not make the call just that, however little of it can be read',
      ),
    ),
    failure(
      'not_found',
      404,
      'missing, other workspace, or outside visibility',
      by(
        'security/tenants',
        "%s answers the other workspace's record exactly like one that never was",
      ),
      by('security/visibility', '%s answers what is out of sight exactly like what never was'),
    ),
    failure(
      'method_not_allowed',
      405,
      'a method that the path does not have',
      by('security/http-wire', 'is answered with those it has: %s'),
      order,
    ),
    failure(
      'request_timeout',
      408,
      'a sender that is too slow',
      by('security/http-wire', 'has 5 seconds for its headers and 10 for its body'),
    ),
    failure(
      'conflict',
      409,
      'a unique value that no service foresaw',
      door('says conflict when a unique value is taken and no service foresaw it'),
    ),
    failure(
      'duplicate',
      409,
      'a value somebody has, with whose it is',
      by(
        'contacts/changing',
        'refuses the phone of another person with 409 and that person’s id, and changes nothing',
      ),
      by('automations/drafts', 'refuses a name that is taken, whatever its case'),
    ),
    failure(
      'in_use',
      409,
      'a record that something needs',
      by(
        'segments/segments-api',
        'is deleted unless something still to come uses it, and then says what',
      ),
      by(
        'pipelines/pipelines',
        'removes no stage that a deal is in, open or closed, or that a number begins with',
      ),
    ),
    failure(
      'invalid_state',
      409,
      'the state machine refuses, with the status and what is allowed',
      by('campaigns/steps', '%s from %s goes as the table says'),
      by('reminders/changing', 'refuses one that is %s'),
    ),
    failure(
      'last_owner',
      409,
      'nobody would own the workspace',
      by('members/leaving', 'is not %s, though a suspended or an invited Owner is left'),
    ),
    failure(
      'quota',
      409,
      '`POST /v1/webhooks` when the plan’s maximum is reached',
      by('webhooks/endpoints/creating', 'never goes over the plan, however many ask at once'),
      by('webhooks/lanes/plan', 'under the plan %s are %i and no more'),
    ),
    failure(
      'idempotency_in_progress',
      409,
      'the same key is still running, with `Retry-After: 1`',
      by(
        'security/idempotency',
        'happens once when twenty are sent at the same time to two processes',
      ),
    ),
    failure(
      'payload_too_large',
      413,
      'over 1 MiB of JSON, or over the limit of a file',
      by('security/http-json', 'is read up to 1 MiB and refused one byte later'),
      by('http/multipart', 'is refused over the limit, whether the sender says so before or not'),
    ),
    failure(
      'unsupported_media_type',
      415,
      'another content type',
      by('security/http-json', 'is not taken: %.40s'),
    ),
    ...businessErrors,
  ],
};
