import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { checkProof } from '../../src/campaigns/proof/file.ts';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { newId } from '../../src/ids.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

const wms = (...args: string[]): Promise<Said> => shell.wms('campaign', ...args);

describe('wms campaign', () => {
  it('sets and shows what all campaigns keep to, each guard by itself', async () => {
    const { json: none } = await wms('guards');
    await wms('guards', '--quiet-hours', '21:00-08:00');
    const { json: both } = await wms('guards', '--frequency-cap', '2/7');
    const { json: one } = await wms('guards', '--quiet-hours', 'none');

    const quiet = { from: '21:00', to: '08:00', timeZone: 'America/Sao_Paulo' };
    const cap = { messages: 2, days: 7 };
    expect(none).toMatchObject({ quiet: null, cap: null });
    expect(both).toMatchObject({ quiet, cap });
    expect(one).toMatchObject({ quiet: null, cap });
  });

  it('refuses a guard of three values', async () => {
    const { code, json } = await wms('guards', '--frequency-cap', '2/7/30');

    expect([code, json.error.message]).toEqual([
      1,
      '2/7/30: write two values with / in between, or none.',
    ]);
  });

  it('drafts one for those whose deals stand in a stage, at the pace it is told', async () => {
    const { id: number } = await aNumber(shell.ctx);
    const stages = ['--name', 'Vendas', '--stages', 'Novo:open,Visita:open'];
    const { json: pipeline } = await shell.wms('pipeline', 'create', ...stages);
    const stage = pipeline.stages[1].id;
    const words = ['--name', 'Aviso', '--number', number, '--text', 'Oi', '--pace', '10'];

    const { json } = await wms('create', ...words, '--pipeline', pipeline.id, '--stage', stage);

    const drafted = await rowsOf(
      shell.ctx,
      'select status, target, pipeline_id, stage_ids, pace from campaigns where id = $1',
      [json.campaign_id],
    );
    expect(drafted).toEqual([
      {
        status: 'draft',
        target: 'pipeline',
        pipeline_id: pipeline.id,
        stage_ids: [stage],
        pace: 10,
      },
    ]);
  });

  it('asks for whom a draft is', async () => {
    const words = ['--name', 'Aviso', '--number', 'num_1', '--text', 'Oi'];

    const { code, json } = await wms('create', ...words);

    expect([code, json.error.message]).toEqual([
      1,
      'Name the recipients: --segment, --group or --pipeline.',
    ]);
  });

  it('sets the daily limit of a number, and refuses what is none', async () => {
    const { id } = await aNumber(shell.ctx);

    const { json: set } = await wms('daily-limit', id, '200');
    const refused = await wms('daily-limit', id, 'many');
    const { json: none } = await wms('daily-limit', id, 'none');

    expect(set).toEqual({ number_id: id, daily_limit: 200 });
    expect(none).toEqual({ number_id: id, daily_limit: null });
    expect(refused.code).not.toBe(0);
    expect(refused.out + refused.err).toContain('daily_limit');
  });
});

describe('wms campaign pause, resume and cancel', () => {
  async function aSending(): Promise<string> {
    const { ctx } = shell;
    const number = await aNumber(ctx);
    const contact = await aContact(ctx);
    const { id } = await aCampaign(ctx, { number_id: number.id, contact_ids: [contact.id] });
    await sendCampaign(ctx, id);
    return id;
  }
  const step = (...args: string[]): Promise<Said> => shell.wmsAnywhere('campaign', ...args);
  const LOG = `select action || ' by ' || (actor ->> 'name') as said from audit_entries
    where target ->> 'id' = $1 order by seq desc limit 3`;

  it('act on a campaign by its id alone, in the name of the command line', async () => {
    const id = await aSending();

    const paused = await step('pause', id);
    const resumed = await step('resume', id);
    const cancelled = await step('cancel', id, '--json');

    expect([paused.out, resumed.out]).toEqual([
      `campaign ${id} is paused\n`,
      `campaign ${id} is sending\n`,
    ]);
    expect(cancelled.json).toEqual({
      campaign_id: id,
      workspace_id: shell.ctx.organizationId,
      status: 'cancelled',
    });
    expect(await rowsOf(shell.ctx, LOG, [id])).toEqual([
      { said: 'campaign.cancelled by wms command line' },
      { said: 'campaign.resumed by wms command line' },
      { said: 'campaign.paused by wms command line' },
    ]);
  });

  it('say that it is paused once running processes have heard it', async () => {
    const id = await aSending();
    const waker = createWaker({ url: shell.databaseUrl });
    const heard: string[] = [];
    waker.onWake((news) => void heard.push(news));
    await waker.wake('campaigns');
    heard.length = 0;

    await step('pause', id);
    const told = [...heard];
    await step('cancel', id);
    await waker.close();

    expect(told).toEqual(['campaigns']);
  });

  it('say which state it would take, and when there is no such campaign', async () => {
    const id = await aSending();
    const unknown = newId('cmp');

    const refused = await step('resume', id);
    const inJson = await step('resume', id, '--json');
    const none = await step('pause', unknown);
    const elsewhere = await step('pause', id, '--workspace', newId('org'));

    expect([refused.code, refused.err]).toEqual([
      1,
      'This is not possible while the status is sending.\nIt would have to be paused.\n',
    ]);
    expect(inJson.json.error).toMatchObject({
      code: 'invalid_state',
      details: { status: 'sending', allowed: ['paused'] },
    });
    expect([none.code, none.err]).toEqual([1, `There is no campaign ${unknown}.\n`]);
    expect(elsewhere.code).toBe(1);
  });
});

describe('wms campaign proof', () => {
  /** Over: of four people two got it, one was lost and one was left out. */
  async function aFinished(): Promise<string> {
    const { id: numberId } = await aNumber(shell.ctx);
    const id = newId('cmp');
    await rowsOf(
      shell.ctx,
      `insert into campaigns (organization_id, id, name, status, number_id, target, text, created_by, total, excluded, frozen_at, started_at, created_at)
       values ($1, $2, 'Aviso', 'done', $3, 'contacts', 'x', '{}', 4, '{"opted_out": 1}', now(), now(), now())`,
      [shell.ctx.organizationId, id, numberId],
    );
    await rowsOf(
      shell.ctx,
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, phone, text, status, settled_at)
       select $1, $2, 'rcp_' || n, n::text, '', '', s, now()
       from unnest(array['read', 'failed', 'delivered']) with ordinality as r (s, n)`,
      [shell.ctx.organizationId, id],
    );
    return id;
  }
  // Anywhere: without a workspace and without a service.
  const verify = (file: string, ...more: string[]): Promise<Said> =>
    shell.wmsAnywhere('campaign', 'proof', 'verify', file, '--json', ...more);

  it('writes a line for each recipient to a file, in which whoever checks it finds what was changed', async () => {
    const id = await aFinished();
    const file = shell.file('');

    const { json: written } = await wms('proof', id, '--out', file);
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    const checked = await verify(file, '--head', written.head);
    const forged = lines.with(2, lines[2]?.replace('"failed"', '"sent"') ?? '').join('\n');
    const lie = await verify(shell.file(forged), '--head', 'f00d');

    const outcomes = { sent: 2, failed: 1, skipped: 0, unconfirmed: 0, cancelled: 0 };
    expect(written).toMatchObject({ campaign_id: id, total: 4, eligible: 3, outcomes, file });
    expect(lines).toHaveLength(5);
    const { head } = written;
    expect(checked).toMatchObject({ code: 0, json: { valid: true, problems: [], head, outcomes } });
    expect(lie).toMatchObject({ code: 1, json: { valid: false } });
    expect(lie.json.problems).toMatchObject([
      { line: 3, recipient_id: 'rcp_2', rule: 'chain' },
      { line: null, rule: 'outcomes' },
      { line: null, rule: 'outcomes' },
      { line: null, rule: 'head' },
    ]);
    await expect(checkProof(asFile(lines.toSpliced(2, 1)))).resolves.toMatchObject({
      problems: [{ line: 3, recipient_id: 'rcp_3' }, { rule: 'count' }, { rule: 'outcomes' }],
    });
    await expect(checkProof(asFile(lines.with(2, 'not JSON')))).rejects.toMatchObject({
      details: [{ path: 'line 3', rule: 'malformed' }],
    });
    await expect(checkProof(asFile(lines.slice(0, 4)))).rejects.toMatchObject({
      details: [{ path: 'line 4', rule: 'malformed' }],
    });
  });

  it('says of a cancelled campaign that its last sends are being settled, and writes no file', async () => {
    const id = await aFinished();
    await rowsOf(shell.ctx, "update campaigns set status = 'cancelled' where id = $1", [id]);
    await rowsOf(
      shell.ctx,
      "update campaign_recipients set status = 'sending' where campaign_id = $1 and id = 'rcp_2'",
      [id],
    );
    const file = `${shell.file('')}.jsonl`;

    const { code, err } = await shell.wmsInWords('campaign', 'proof', id, '--out', file);

    expect([code, fs.existsSync(file)]).toEqual([1, false]);
    expect(err).toContain('Its last sends are still being settled. Ask again in a moment.');
  });

  it('goes to no file without a name', async () => {
    const id = await aFinished();

    const { code, err } = await shell.wmsInWords('campaign', 'proof', id, '--out', '');

    expect([code, err, fs.existsSync('.part')]).toEqual([1, '--out names no file.\n', false]);
  });
});

async function* asFile(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
