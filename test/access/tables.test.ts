import { describe, expect, it } from '@jest/globals';
import { permissionsOf, type Role } from '../../src/access/roles.ts';
import { permissionOf, SCOPE_NAMES, type Scope } from '../../src/access/scopes.ts';
import { everyRoute, nameOf } from '../support/every-route.ts';

/** Specification, Scopes: each scope beside the permission a member needs. */
const SCOPES = `
numbers:read numbers.read | numbers:write numbers.manage
contacts:read contacts.read | contacts:write contacts.write
conversations:read conversations.read | conversations:write conversations.assign
messages:read conversations.read | messages:write conversations.reply
groups:read groups.read | groups:write groups.send
pipelines:read pipelines.read | pipelines:write pipelines.move
reminders:read reminders.read | reminders:write reminders.create
automations:read automations.read | automations:write automations.activate
webhooks:read developers.read | webhooks:write developers.manage
campaigns:read campaigns.read | campaigns:write campaigns.create
campaigns:send campaigns.send
forms:read forms.read | forms:write forms.write
segments:read contacts.read | segments:write contacts.write
members:read members.read
`;

/** Design decisions §17: permission, then Owner, Admin, Agent, Viewer; `?` is a switch per Agent. */
const ROLES = `
numbers.read ✓✓✓✓
numbers.manage ✓✓--
contacts.read ✓✓✓✓
contacts.write ✓✓✓-
contacts.delete ✓✓--
contacts.import ✓✓--
contacts.export ✓✓--
conversations.read ✓✓✓✓
conversations.reply ✓✓✓-
conversations.assign ✓✓✓-
conversations.close ✓✓✓-
groups.read ✓✓✓✓
groups.send ✓✓✓-
pipelines.read ✓✓✓✓
pipelines.move ✓✓✓-
pipelines.manage ✓✓--
reminders.read ✓✓✓✓
reminders.create ✓✓✓-
automations.read ✓✓✓✓
automations.activate ✓✓--
campaigns.read ✓✓✓✓
campaigns.create ✓✓?-
campaigns.send ✓✓?-
forms.read ✓✓✓✓
forms.write ✓✓--
members.read ✓✓✓✓
members.manage ✓✓--
developers.read ✓✓--
developers.manage ✓✓--
audit.read ✓✓--
billing.manage ✓---
workspace.delete ✓---
`;

const rows = (table: string): string[] => table.trim().split('\n');
const COLUMNS: readonly Role[] = ['owner', 'admin', 'agent', 'viewer'];

describe('the scopes', () => {
  it('are those of the specification, each with the permission that a member needs beside it', () => {
    const expected = rows(SCOPES).flatMap((row) => row.split(' | '));

    expect(
      SCOPE_NAMES.map((scope) => `${scope} ${permissionOf(scope as Scope)}`).toSorted(),
    ).toEqual(expected.toSorted());
  });
});

describe('the roles', () => {
  it.each(COLUMNS.map((role, column) => [role, column] as const))(
    'an %s has the permissions of the table and no others',
    (role, column) => {
      const granted = (marks: string): string[] =>
        rows(ROLES).flatMap((row) => {
          const [permission = '', columns = ''] = row.split(' ');
          return marks.includes(columns[column] ?? '-') ? [permission] : [];
        });

      expect([...permissionsOf(role, [])].toSorted()).toEqual(granted('✓').toSorted());
      const switched = permissionsOf(role, ['campaigns.create', 'campaigns.send']);
      expect([...switched].toSorted()).toEqual(granted('✓?').toSorted());
    },
  );
});

describe('the routes that need more of a member than their scope does', () => {
  it('are these and no others', () => {
    const narrower = everyRoute.flatMap((route) =>
      route.permission ? [`${nameOf(route)} ${route.permission}`] : [],
    );

    expect(narrower.toSorted()).toEqual([
      'DELETE /v1/contacts/:id contacts.delete',
      'POST /v1/contacts/:id/merge contacts.delete',
      'POST /v1/contacts/imports contacts.import',
      'POST /v1/contacts/imports/:id/cancel contacts.import',
      'POST /v1/conversations/:id/close conversations.close',
    ]);
  });
});
