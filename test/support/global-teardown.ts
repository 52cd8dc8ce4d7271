import { endRun } from './run-folder.ts';

export default async function teardown(): Promise<void> {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (folder) await endRun(folder);
}
