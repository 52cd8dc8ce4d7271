import { by, line, type Section } from '../../lines.ts';

export const oauth: Section = {
  title: 'The authorization server',
  source: 'Specification, OAuth 2.1 authorization server; design decisions §25',
  lines: [
    line(
      'Metadata, issuer, authorization, token, registration, revocation, introspection, userinfo and public keys at the addresses of the table, and nowhere else',
      by(
        'oauth/addresses',
        'names every address of the specification, below one issuer',
        'is the same wherever a client looks for it',
        '%s does not exist',
      ),
    ),
    line(
      'Authorization code with PKCE, `S256` only and mandatory; resource indicators; the state and the issuer come back',
      by(
        'oauth/flow',
        'gets tokens that act for the person who authorized it, and reaches what was granted',
        'gets a new pair for its refresh token, and its state and the issuer back',
      ),
      by(
        'oauth/refused-requests',
        'with %j is refused at the app, in the query of its address: %s',
        '%j of a client that anybody registered is refused on a page of ours with a link',
      ),
      by(
        'oauth/real-clients',
        'finds the server, signs a person in, refreshes, looks at its token and revokes it',
        'registers itself, pushes its request and gets tokens',
      ),
    ),
    line(
      'A code is used once, within 60 seconds, by its client, at its address, with its verifier',
      by(
        'oauth/codes',
        'is exchanged once, by one of eight that try at the same time, whose tokens stay good',
        'that is sent again later ends everything it gave',
        'is bound to its client, address, verifier and resource, and a wrong try does not use it up',
        'ends after 60 seconds',
      ),
    ),
    line(
      'Without `resource` the token is accepted nowhere; with it, at that resource alone',
      by('oauth/every-call', 'is for one resource', 'without a resource is accepted nowhere'),
      by(
        'oauth/flow',
        'that also asks who the person is gets what it was granted, where it names no resource again',
      ),
    ),
    line(
      'Redirect URIs are compared exactly; on a loopback address any port will do',
      by(
        'oauth/refused-requests',
        'that is not registered leads nowhere: %s',
        'on a loopback address may have another port',
      ),
    ),
    line(
      'Registering an app: name, 1 to 10 redirect URIs, scopes; a client id and a secret `cs_live_…` that is shown once',
      by(
        'oauth/apps',
        'is created with a secret that is shown once, and listed without it',
        'is refused with %j',
        'is seen and changed by its own workspace, and there by Owner and Admin alone',
      ),
    ),
    line(
      'Rotating an app’s secret: a sign-in of the last 10 minutes; the old one works for 24 hours unless it is revoked at once',
      by(
        'oauth/apps',
        'is rotated: the one before works for 24 hours, and the one before that no more',
        'is revoked at once when the rotation says so',
        'is rotated only by who signed in within the last 10 minutes',
      ),
    ),
    line(
      'App verification: unverified, in review, verified or rejected; another redirect domain makes it unverified',
      by(
        'oauth/apps',
        'is asked for with how data is used, answered once, and undone by another redirect domain or name',
        'that was refused may be asked for again after 7 days',
      ),
      by(
        'oauth/command-line',
        'registers an app, and answers its review as the team of the service',
      ),
    ),
    line(
      'An app that is not verified connects to its own workspace and 10 more',
      by(
        'oauth/apps',
        'connects to its own workspace and ten more, also when many connect at the same time',
      ),
    ),
    line(
      'Dynamic registration without login; PKCE cannot be turned off; such clients are not verified',
      by(
        'oauth/registration',
        'gets an id and a secret that is shown only once, and works for any person who authorizes it',
        'without a secret is held to PKCE, and one with a secret to the way it registered',
        'is shown as registered by an unknown party',
      ),
    ),
    line(
      'Access tokens of 10 minutes; with `offline_access` refresh tokens of 30 days, rotated at each use',
      by(
        'oauth/codes',
        'lives for 30 days from each rotation',
        'that is sent again within 30 seconds gets the first answer, and later ends the connection',
        'that twenty send at the same time gives all of them the first answer',
      ),
    ),
    line(
      'Only a member with a seat who is no Viewer authorizes, and grants no more than was asked',
      by(
        'oauth/requests',
        'cannot be approved as somebody else, by a Viewer, or with an old sign-in where a new one is asked',
        'gives no more than the app registered for',
      ),
      by(
        'oauth/flow',
        'is shown to the person with what it asks for, and gets only what they grant',
      ),
    ),
    line(
      'The token is checked on every call: a disconnected app, a person who lost the seat: 401 at the next one, and the authorization and refresh tokens are deleted',
      by(
        'oauth/every-call',
        'stops at the next call in every process when its app is disconnected, and so does the refresh token',
        'stops when the app is deleted',
        'stops when the person %s, and cannot be refreshed',
      ),
      by('oauth/every-way', 'is closed from the next call on when %s'),
    ),
    line(
      'Every operation and every agent tool, in two processes: the token’s scope and the person’s permission, 403 without either',
      by(
        'oauth/every-way',
        'lets in a token that has its scope and no other',
        'refuses a token that has every scope but its own, and says which one to ask for',
        'is narrower from the next call on when the person is, whatever was granted before',
      ),
    ),
    line(
      'The draft endpoints for automations, forms and segments are for OAuth tokens',
      by(
        'oauth/drafts',
        'makes a draft for an app that a person let in, and the log names both',
        'refuses an API key with every scope, and makes nothing',
      ),
    ),
    line(
      'A person sees which apps act for them and what each may do, and takes it back, whatever their role',
      by(
        'sign-in/connected',
        'stand on the own page of an Agent too, with what they may do, and end there',
        'are disconnected by nobody else, and by no form of another page',
      ),
    ),
    line(
      'What is done to an app is in the audit log; what an app does names it and the person',
      by(
        'oauth/logged',
        'tells who made, changed, rotated, connected and deleted an app, and names the app beside the person in what it does',
        'of each workspace that had connected a deleted app says so, and not who deleted it',
      ),
    ),
    line(
      'Introspection and revocation, of a client’s own tokens',
      by(
        'oauth/looking-at-tokens',
        'tells a client about its own tokens, both kinds',
        'tells nothing about tokens of others, or that are none, or that ended',
        'of a refresh token ends what was granted with it',
        'by another client changes nothing',
      ),
    ),
    line(
      'From a registered app to a disconnected one: by a person in a browser, and by the commands of docs/apps.md',
      by(
        'browser/connecting-an-app',
        'an app is registered, connected by a person, used, and disconnected, all in a browser and by keyboard',
      ),
      by(
        'oauth/documentation',
        'the commands of the page lead from a registered app to a disconnected one',
      ),
    ),
    line(
      'Signing keys change while everything runs, and are encrypted where they are kept',
      by(
        'oauth/signing-keys',
        'change while everything runs: tokens of the one before go on until they have ended',
        'are public without their private part, the next one among them, and encrypted where they are kept',
      ),
    ),
  ],
};
