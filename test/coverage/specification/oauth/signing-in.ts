import { by, line, type Section } from '../../lines.ts';

export const signingIn: Section = {
  title: 'Signing in and consent',
  source: 'Specification, Flow 3 and Scopes; design, OAuth checklist',
  lines: [
    line(
      'The person signs in if needed and sees the consent screen: choice of workspace, a sentence for each scope, what the app cannot do; the browser returns with `code` and `state`',
      by(
        'sign-in/consent',
        'says who asks, for what, what it cannot do, and where the browser goes',
        'sends the person to sign in first, back again, and on to the app with a code',
        'tells the app when the person declines',
      ),
      by(
        'browser/connecting-an-app',
        'an app is registered, connected by a person, used, and disconnected, all in a browser and by keyboard',
      ),
    ),
    line(
      'The consent screen marks `campaigns:send` as high risk',
      by(
        'sign-in/consent',
        'says who asks, for what, what it cannot do, and where the browser goes',
      ),
    ),
    line(
      'Workspaces where the person holds a seat and is no Viewer, and no others',
      by(
        'sign-in/consent',
        'offers the workspaces where the person has a seat, and takes no other',
        'lets nobody connect an app who may do so in no workspace',
        'is refused to a member who lost the seat while looking at it',
      ),
    ),
    line(
      'A consent belongs to the browser and the person that began, comes from our own page, and asks for a new sign-in when the app wishes it',
      by(
        'sign-in/consent',
        'belongs to the browser that began: a link that was passed on is dead',
        "belongs to the person who saw the page: another's sign-in in between makes it useless",
        'is refused without the token of the session, and from another site',
        'asks for a new sign-in when the app wishes it: %j',
      ),
    ),
    line(
      'E-mail address and password, with limits for each account and address; unknown accounts are answered like wrong passwords',
      by(
        'sign-in/signing-in',
        'answers an unknown account, a wrong password and an invited person alike',
        'gives a new session each time, and the one that the browser had before is over',
        'never leads on to another site: %j',
      ),
      by(
        'sign-in/guessing',
        'is stopped after five, also at the same moment and with the right one',
        'is counted by account over all addresses, and by address over all accounts',
      ),
    ),
    line(
      'Sessions are listed and ended; passwords are replaced by a link in a mail that works once; people come in by invitation; passkeys',
      by('sign-in/signing-in', 'is seen and ended from the account page, one by one or all others'),
      by(
        'sign-in/resetting',
        'has links that work once, also at the same moment, and all others of the person end with it',
      ),
      by('sign-in/invitations', 'is mailed, and lets a new person in with a password of their own'),
      by(
        'browser/sign-in',
        'are added, sign the person in without a password, are removed, and all of it is in the log',
      ),
    ),
  ],
};
