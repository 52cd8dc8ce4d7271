import { DEMO_LOGIN } from './demo/workspace.ts';
import type { RunFile } from './run-file.ts';

/**
 * The block that `npm start` ends with: the addresses, a key, and what to try first.
 *
 * @param dataDir its folder, where the commands must be told; null where they find it by themselves
 */
export function banner(run: RunFile, dataDir: string | null): string {
  const wms = dataDir === null ? 'npx wms' : `DATA_DIR=${quoted(dataDir)} npx wms`;
  const addresses = [
    ['API', `${run.baseUrl}/api/v1`],
    ['Console', `${run.baseUrl}/console`],
    ['Reference', `${run.baseUrl}/docs`],
    ['OpenAPI', `${run.baseUrl}/openapi.json`],
    ['Temporal UI', run.temporalUiUrl],
    ['Simulator', run.simulatorUrl],
    ['Mails', run.simulatorUrl && `${run.simulatorUrl}/mail`],
  ].filter((row): row is [string, string] => row[1] !== null);
  const lines = ['', 'Workspace Messaging is ready.', ''];
  for (const [name, url] of addresses) lines.push(`  ${name.padEnd(12)} ${url}`);
  if (run.demo) {
    lines.push(
      `  ${'Workspace'.padEnd(12)} ${run.demo.workspaceId}`,
      `  ${'API key'.padEnd(12)} ${run.demo.apiKey}`,
      `  ${'Sign in as'.padEnd(12)} ${DEMO_LOGIN.email}, password ${DEMO_LOGIN.password}`,
    );
    if (run.demo.phoneNumberId)
      lines.push(
        `  ${'Front desk'.padEnd(12)} ${run.demo.phoneNumberId}, as WhatsApp and the simulator call it`,
      );
    lines.push(
      '',
      'Try:',
      `  curl -H 'Authorization: Bearer ${run.demo.apiKey}' ${run.baseUrl}/api/v1/numbers`,
      `  ${wms} demo`,
      `  ${wms} doctor`,
    );
  }
  lines.push('', 'Ctrl-C stops it.');
  return lines.join('\n');
}

/** As one word of a shell. */
const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
