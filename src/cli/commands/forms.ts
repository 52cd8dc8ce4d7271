import type { Command } from 'commander';
import {
  createForm,
  listForms,
  publishForm,
  readNewForm,
  unpublishForm,
} from '../../forms/service.ts';
import { readJson } from '../files.ts';
import { table } from '../output.ts';
import { aboutWorkspace, all, perform, type WorkspaceOptions } from './in-workspace.ts';

type Filed = WorkspaceOptions & { readonly file: string };

/** `wms form`: what the API does not offer to keys. */
export function formCommands(program: Command): void {
  const form = program.command('form').description('forms that people fill in on a public page');
  const add = (usage: string, description: string): Command =>
    aboutWorkspace(form, usage, description);
  add('create', 'make a draft; the file holds what POST /v1/forms takes')
    .requiredOption('--file <file>', 'the form as JSON')
    .action((options: Filed) =>
      perform(
        options,
        (ctx) => createForm(ctx, readNewForm(readJson(options.file))),
        ({ id }) => [
          `form ${id} is a draft; publish it with: wms form publish ${id} --workspace ${options.workspace}`,
        ],
      ),
    );
  add('publish <form>', 'put a form live').action((id: string, options: WorkspaceOptions) =>
    perform(
      options,
      (ctx, { baseUrl }) => publishForm(ctx, id, baseUrl),
      ({ url }) => [`form ${id} is published`, url],
    ),
  );
  add('unpublish <form>', 'take a form down').action((id: string, options: WorkspaceOptions) =>
    perform(
      options,
      (ctx, { baseUrl }) => unpublishForm(ctx, id, baseUrl),
      ({ status }) => [`form ${id} is ${status}`],
    ),
  );
  add('list', 'list the forms, newest first').action((options: WorkspaceOptions) =>
    perform(
      options,
      (ctx, { baseUrl }) => all(ctx, (tx, page) => listForms(tx, {}, page, baseUrl)),
      (rows) => table(rows.map((row) => [row.id, row.status, `v${row.version}`, row.title])),
    ),
  );
}
