import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { transact } from '../../db/transact.ts';
import {
  createForm,
  listForms,
  publishForm,
  readNewForm,
  unpublishForm,
} from '../../forms/service.ts';
import { CommandError, table } from '../output.ts';
import { surroundings } from '../session.ts';
import { aboutWorkspace, all, type InWorkspace, perform } from './in-workspace.ts';

type Filed = InWorkspace & { readonly file: string };

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
        ({ id }) => [`form ${id} is a draft; publish it with: wms form publish ${id}`],
      ),
    );
  add('publish <form>', 'put a form live').action((id: string, options: InWorkspace) =>
    perform(
      options,
      (ctx) => publishForm(ctx, id, publicUrl()),
      ({ url }) => [`form ${id} is published`, url],
    ),
  );
  add('unpublish <form>', 'take a form down').action((id: string, options: InWorkspace) =>
    perform(
      options,
      (ctx) => unpublishForm(ctx, id, publicUrl()),
      ({ status }) => [`form ${id} is ${status}`],
    ),
  );
  add('list', 'list the forms, newest first').action((options: InWorkspace) =>
    perform(
      options,
      (ctx) => transact(ctx, (tx) => all((page) => listForms(tx, {}, page, publicUrl()))),
      (rows) => table(rows.map((row) => [row.id, row.status, `v${row.version}`, row.title])),
    ),
  );
}

/** The public address of the running service, otherwise the configured one. */
function publicUrl(): string {
  const { config, run } = surroundings();
  return run?.baseUrl ?? config.BASE_URL ?? `http://localhost:${config.PORT}`;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
