import { by, line, type Section } from '../../lines.ts';

const gone = by(
  'security/members',
  'is refused at the next call, in every process, when the person %s',
  'is refused when the person has left the workspace, or never was there',
);

export const tokens: Section = {
  title: 'Tokens, scopes and what they reach',
  source: 'Specification, Authentication; design decisions §17, §19, §25',
  lines: [
    line(
      'Every call carries `Authorization: Bearer`; a missing, unknown, expired or revoked token gives 401 `unauthorized`',
      by(
        'security/api-key',
        'is needed',
        'is needed at the address of the API itself too, which is what tokens are for',
        'is refused with any one digit changed',
        'is taken from the header alone: not from the query, a cookie or the body',
        'ends at its expiry, by the database’s clock',
      ),
      by('security/scopes', 'answers 401 with a challenge to whoever brings no valid key'),
    ),
    line(
      'API key: `sk_live_` and 32 hexadecimal characters; acts as its service account, workspace-wide, limited to its scopes',
      by(
        'api-keys/api-keys',
        'opens its workspace, and is kept as a hash and its first twelve characters only',
      ),
      by(
        'security/api-key',
        'of a wrong shape is refused without asking the database: %s',
        'opens exactly the routes of its scopes, whatever else it has',
      ),
    ),
    line(
      'OAuth access token: acts for the member who authorized, limited to the granted scopes and the member’s permissions',
      by('security/members', 'reaches what the grant and the role both allow, and nothing else'),
      by('security/permissions', 'asks an app for the scope too, whatever the person may'),
    ),
    line(
      'Keys 2: shown once; only a hash and the first characters are stored and listed',
      by(
        'api-keys/api-keys',
        'opens its workspace, and is kept as a hash and its first twelve characters only',
      ),
      by('security/key-traces', 'leaves no trace of itself: not in any table, nor in any log'),
    ),
    line(
      'Keys 3: 30 days, 90 days, 1 year, never',
      by(
        'api-keys/api-keys',
        'of %s ends at %s',
        'of never has no end',
        'is refused when its %s is not valid',
      ),
    ),
    line(
      'Keys 4: revoking is immediate and irreversible',
      by(
        'security/api-key',
        'is never accepted again once revoked, in any process, though requests are in flight',
      ),
      by('api-keys/api-keys', 'stops at once when it is revoked, and can be revoked only once'),
    ),
    line(
      'Keys 5: each belongs to one service account, whose name stands in the audit log',
      by(
        'contacts/creating',
        'records contact.created and an audit entry of the key’s account, in the same transaction',
      ),
      by(
        'http/accepted',
        '%s › does what its example says once when it is sent four times at once to two processes with one key, and the log names who did it',
      ),
    ),
    line(
      'Keys 6: the draft endpoints answer an API key with 403',
      by('automations/drafts', 'is for people and their apps: a key is told so'),
      by(
        'forms/drafting',
        'answers a person 201 with the id alone, and an API key 403 oauth_required',
      ),
      by('segments/segments-api', 'is never made by an API key'),
    ),
    line(
      'Scopes: the table of scopes and member permissions',
      by(
        'access/tables',
        'are those of the specification, each with the permission that a member needs beside it',
      ),
    ),
    line(
      'A call without the route’s scope: 403 `forbidden`',
      by(
        'security/scopes',
        '%s › is passed by its own scope and by no other of the specification',
        '%s › tells whoever may not make the call just that, however little of it can be read',
      ),
    ),
    line(
      'The member must also hold the permission: each route for each role, in the console and through an app',
      by(
        'security/permissions',
        'asks an %s in the console for the permission',
        'asks an app for the scope too, whatever the person may',
      ),
    ),
    line(
      'Narrower permissions: `contacts.delete`',
      by(
        'contacts/deleting',
        'is an owner’s and an admin’s, not an agent’s, and stands in the log',
      ),
    ),
    line(
      'Narrower permissions: `conversations.close`, `contacts.import`, `groups.send`',
      by(
        'access/tables',
        'the routes that need more of a member than their scope does › are these and no others',
      ),
      by('security/permissions', 'asks an %s in the console for the permission'),
      by('contacts/imports-api', 'is an owner’s and an admin’s, not an agent’s'),
      by(
        'groups/groups',
        'need the permission for groups, also through their conversation',
        'need the scope for groups by whichever route they are written to',
      ),
    ),
    line(
      'A token reaches conversations, numbers and groups within the member’s visibility: workspace, teams, assigned',
      by(
        'security/visibility',
        '%s answers what is out of sight exactly like what never was',
        '%s refuses what is out of sight in %s like what never was',
        '%s shows nothing that is out of sight',
        '%s answers',
        'GET %s lists it',
      ),
    ),
    line(
      'Audit entries name the app and the person',
      by(
        'http/accepted',
        '%s › does what its example says for an app, and the log names app and person',
      ),
    ),
    line(
      'The token is checked on every call: whoever leaves, loses the seat or becomes a Viewer gets 401 at the next one',
      gone,
      by(
        'security/permissions',
        'is closed to an app whose person is a Viewer',
        'is closed at the next call when the person is suspended, or loses the permission',
      ),
    ),
    line(
      '§17 The roles: Owner, Admin, Agent, Viewer, and what each may do',
      by('access/tables', 'an %s has the permissions of the table and no others'),
    ),
    line(
      '§17 At least one Owner always; an Admin touches no Owner',
      by(
        'members/leaving',
        'stays when all of them leave at the same moment',
        'manages people, but touches no Owner and makes none',
        'is needed: an Agent manages nobody',
      ),
    ),
    line(
      '§19 Audit: in the transaction of the change, append-only, hash chained per workspace',
      by(
        'audit/audit',
        'keeps nothing of a change that is rolled back',
        'gives the service no right to %s it',
        'is one unbroken chain, however many write to it at once',
        'shows where an entry was %s behind its back',
        'notices that its last entry is gone',
      ),
    ),
    line(
      '§19 Secrets and message texts never enter `changes`',
      by('audit/audit', 'says that a secret changed, never what it was'),
    ),
    line(
      '§25 The record of a key, with `expiring_soon` in its last 30 days',
      by(
        'api-keys/api-keys',
        'opens its workspace, and is kept as a hash and its first twelve characters only',
        'the life of a key › is %s',
      ),
    ),
  ],
};
