import { expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import { type PermissionOption, permissionsOf, type Role } from '../../src/access/roles.ts';
import type { ConsolePage } from '../../src/console/page.ts';
import { consolePages } from '../../src/console/pages.ts';

// What pages and forms ask for is compared with what the roles are for (design decisions §17). That it is asked for,
// of each role on each page, is seen in the tests of the frame.

type Has = (needed: Permission | null) => boolean;

const openedBy = (has: Has): string[] =>
  consolePages.flatMap(({ path, permission }) => (has(permission) ? [path] : []));

/** A file is read before the form that has it: it has a permission of its own. */
const formsOf = ({ path, actions = {}, upload }: ConsolePage): [string, Permission | null][] => [
  ...Object.entries(actions).map(([name, { permission }]): [string, Permission | null] => [
    `${path} ${name}`,
    permission,
  ]),
  ...(upload ? [[`${path} (file)`, upload.permission] as [string, Permission]] : []),
];

const sentBy = (has: Has): string[] =>
  consolePages
    .filter(({ permission }) => has(permission))
    .flatMap((page) => formsOf(page).flatMap(([form, needed]) => (has(needed) ? [form] : [])));

const holding = (role: Role, ...options: PermissionOption[]): Has => {
  const held = permissionsOf(role, options);
  return (needed) => needed === null || held.has(needed);
};

const each = (path: string, ...forms: string[]): string[] => forms.map((form) => `${path} ${form}`);

const viewer = holding('viewer');
const agent = holding('agent');
const admin = holding('admin');

const without = (all: readonly string[], some: readonly string[]): string[] =>
  all.filter((one) => !some.includes(one));

it('a Viewer changes nothing: the only form they send plays a conversation through', () => {
  expect(sentBy(viewer)).toEqual(['/automations/:id/simulate simulate']);
});

it('an Agent does the daily work with people: conversations, contacts, segments, deals and reminders', () => {
  expect(without(sentBy(agent), sentBy(viewer))).toEqual([
    ...each('/inbox', 'be-here', 'be-away'),
    ...each('/inbox/:id', 'reply', 'read', 'transfer', 'close', 'reopen', '(file)'),
    ...each('/contacts/new', 'create'),
    ...each('/contacts/:id', 'write', 'opt_out', 'opt_in', 'save', 'block', 'unblock'),
    ...each('/contacts/:id/template', 'send'),
    ...each('/inbox/:id/template', 'send'),
    ...each('/segments/new', 'preview', 'create'),
    ...each('/segments/:id/edit', 'preview', 'save'),
    ...each('/segments/:id', 'delete'),
    ...each('/pipelines/:id', 'move'),
    ...each('/pipelines/:id/deals/new', 'find', 'create'),
    ...each('/deals/:id', 'change', 'delete', 'move'),
    ...each('/reminders/new', 'find', 'create'),
    ...each('/reminders/:id', 'cancel'),
    ...each('/reminders/:id/edit', 'find', 'save'),
  ]);
});

it('an Agent who may write campaigns makes and ends them; only who may send them lets one go out', () => {
  const writes = sentBy(holding('agent', 'campaigns.create'));
  const sends = sentBy(holding('agent', 'campaigns.send'));

  expect(without(writes, sentBy(agent))).toEqual([
    ...each('/campaigns/new', 'find', 'create'),
    ...each('/campaigns/:id', 'unschedule', 'pause', 'cancel', 'delete', 'retry'),
    ...each('/campaigns/:id/edit', 'find', 'save'),
  ]);
  expect(without(sends, sentBy(agent))).toEqual(
    each('/campaigns/:id', 'send', 'resume', 'test', 'schedule'),
  );
});

it('Owner and Admin alone open what is about keys, apps, webhooks, the log, the settings, and everybody’s phone', () => {
  const others = openedBy(holding('agent', 'campaigns.create'));

  expect(without(openedBy(admin), others)).toEqual([
    '/contacts.csv',
    '/contacts/:id/merge',
    ...['/pipelines/new', '/pipelines/:id/stages'],
    ...['/forms/new', '/forms/:id/edit', '/forms/:id/link'],
    '/campaigns/:id/recipients.csv',
    ...['/automations/new', '/automations/:id/start'],
    ...['/api-keys', '/api-keys/new'],
    ...['/webhooks', '/webhooks/new', '/webhooks/:id', '/webhooks/:id/edit'],
    '/webhooks/:id/deliveries/:part',
    ...['/apps', '/apps/new', '/apps/:id', '/connections'],
    ...['/settings', '/settings/opt-out-phrases'],
    ...['/audit', '/audit.csv'],
  ]);
});

it('a Viewer opens no page that is there to write something', () => {
  const writing = without(openedBy(holding('agent', 'campaigns.create')), openedBy(viewer));

  expect(writing).toEqual([
    ...['/contacts/new', '/contacts/:id/template', '/inbox/:id/template'],
    ...['/segments/new', '/segments/:id/edit', '/pipelines/:id/deals/new'],
    ...['/campaigns/new', '/campaigns/:id/edit'],
    ...['/reminders/new', '/reminders/:id/edit'],
  ]);
});

it('an Owner and an Admin send every form', () => {
  const every = consolePages.flatMap(formsOf).map(([form]) => form);

  expect([sentBy(admin), sentBy(holding('owner'))]).toEqual([every, every]);
});
