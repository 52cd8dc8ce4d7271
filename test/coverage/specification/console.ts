import { by, line, type Section } from '../lines.ts';

export const consoleLines: Section = {
  title: 'The console',
  source:
    'Specification, Authentication and Webhooks: the developer settings; design decisions §19',
  lines: [
    line(
      'API keys and webhook endpoints in the developer settings; the audit log as a page and as CSV',
      by('console/keys', 'shows a new key once, with a command, and never again'),
      by('console/webhooks', 'are added with what they listen to, and show their secret once'),
      by(
        'console/audit',
        'is a page and a file, for those who may read it, with the entries of the workspace alone',
      ),
    ),
    line(
      'Automations: written, checked with each place that is wrong, activated, turned off with `finish` or `cancel`, tried; their runs and steps',
      by(
        'console/automations',
        'is written from a first definition that works as it stands, activated and listed',
        'says beside the text what keeps it from being activated, with its place, in the language of the reader',
        'is never overwritten or published by somebody who has not seen its last change',
        'keeps each version as it was published, and writes on from any of them',
      ),
      by(
        'console/automation-runs',
        'lets its runs finish, and cancels them afterwards when somebody asks for it',
        'cancels a single run at its own page, which shows its steps and nobody else’s',
        'shows the conversation with an invented person, and keeps nothing of it',
        'knows nothing of the automations and runs of another workspace',
      ),
    ),
    line(
      'Segments: rules as text with each place that is wrong, counted before they are saved; changed and deleted',
      by(
        'console/segments',
        'are written as rules, counted before they are saved, changed and deleted',
        'say of each wrong rule where it is, in the language of the reader, and keep what was written',
        'are shown to a Viewer without a button, and to nobody of another workspace',
      ),
    ),
    line(
      'Forms: written, published, changed and taken down; personal links and submissions',
      by(
        'console/forms',
        'are written, published, changed and taken down',
        'open for one contact by a link that is shown once',
        'show what was sent in, by outcome',
      ),
    ),
    line(
      'Pipelines: stages arranged, deals on a board, moved by keyboard and without a script',
      by(
        'console/pipelines',
        'are created, renamed and arranged',
        'show the deals by stage, and move one by a choice and a button',
        'are shown to a Viewer without a button, and foreign ones to nobody',
      ),
    ),
    line(
      'Reminders: written and changed in all that the API takes',
      by(
        'console/reminders',
        'are written, listed, shown and cancelled',
        'are changed in all that the API changes, from a form that holds what they were',
      ),
    ),
    line(
      'Every page: for each role what it may do and no more, by keyboard, accessible, light and dark, on a phone, in both languages, at most 60 KB at first',
      by(
        'console/every-page',
        'has a record for every page, so that each is really seen',
        'shows %s no link and no button that would be refused',
        'leaves no English on a page in Portuguese',
        'loads at most 60 KB the first time, on every page, as it comes over the wire',
      ),
      by(
        'browser/console-pages',
        'shows every page with no finding of axe in light and dark, no complaint of the browser, and all of it by keyboard',
        'fits every page on a phone, in Portuguese, with its own content on the first screen',
      ),
    ),
  ],
};
