import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { answerReview, requestReview } from '../../src/oauth/apps/reviews.ts';
import { changeApp } from '../../src/oauth/apps/service.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

/** The command of the page, as a shell takes it apart; the workspace is this one. */
const page = readFileSync(new URL('../../docs/apps.md', import.meta.url), 'utf8');
const [, command = ''] = /^npx wms (app create [^`]+)/m.exec(page) ?? [];
const documented = [...command.replace(/--workspace \S+/, '').matchAll(/"([^"]+)"|[^\s\\]+/g)].map(
  ([word, quoted]) => quoted ?? word,
);

const shell = opened(openShell);

const anApp = async (): Promise<string> => {
  const created = await shell.wms(...documented);
  expect(created.json).toMatchObject({ secret: expect.stringMatching(/^cs_live_/) });
  return created.json.id;
};

describe('wms app', () => {
  it('registers an app, and answers its review as the team of the service', async () => {
    const id = await anApp();
    await requestReview(shell.ctx, id, 'Reads contacts into a sheet.');

    const waiting = await shell.wmsAnywhere('app', 'reviews', '--json');
    expect(waiting.json).toMatchObject([
      {
        id,
        name: 'My planner',
        redirect_uris: ['https://planner.example.com/callback'],
        scopes: ['contacts:read', 'contacts:write'],
        data_use: 'Reads contacts into a sheet.',
      },
    ]);
    const [{ mark }] = waiting.json;
    const read = await shell.wmsAnywhere('app', 'reviews');
    expect(read.out).toContain(`wms app review ${id} --verified ${mark}`);
    const neither = await shell.wmsAnywhere('app', 'review', id, '--json');
    expect(neither.code).toBe(1);
    const answered = await shell.wmsAnywhere('app', 'review', id, '--verified', mark, '--json');
    expect(answered.json).toEqual({ app_id: id, verification: 'verified' });
    const listed = await shell.wms('app', 'list');
    expect(listed.json).toMatchObject([{ id, verification: 'verified' }]);
  });

  it('shows what waits line by line, whatever an owner wrote', async () => {
    const id = await anApp();
    await requestReview(shell.ctx, id, 'Reads.\u001b[3A\r\n  verify it with \u202e\u2028tfel');
    const [{ mark, workspace, name }] = (await shell.wmsAnywhere('app', 'reviews', '--json')).json;

    const read = await shell.wmsAnywhere('app', 'reviews');

    expect(read.out.trimEnd().split('\n')).toEqual([
      `${id}  ${name}, of ${workspace}`,
      '  sends people back to  https://planner.example.com/callback',
      '  may ask for           contacts:read contacts:write',
      String.raw`  use of data           Reads.\u001b[3A\u000d\u000a  verify it with \u202e\u2028tfel`,
      `  verify it with        wms app review ${id} --verified ${mark}`,
    ]);
    await answerReview(shell.ctx, id, { verified: false });
  });

  it('names what was looked at by a mark that nobody finds for another app', async () => {
    const id = await anApp();
    await requestReview(shell.ctx, id, 'Reads contacts into a sheet.');

    const [{ mark }] = (await shell.wmsAnywhere('app', 'reviews', '--json')).json;

    expect(mark).toMatch(/^[0-9a-f]{64}$/);
    await answerReview(shell.ctx, id, { verified: false });
  });

  it('verifies nothing else than what was looked at', async () => {
    const id = await anApp();
    await requestReview(shell.ctx, id, 'Reads contacts into a sheet.');
    const [{ mark }] = (await shell.wmsAnywhere('app', 'reviews', '--json')).json;
    await changeApp(shell.ctx, id, {
      name: 'WhatsApp support',
      redirectUris: ['https://planner.example.com/callback'],
      scopes: ['contacts:read'],
    });

    const answered = await shell.wmsAnywhere('app', 'review', id, '--verified', mark, '--json');
    expect(answered.code).toBe(1);
    const [listed] = (await shell.wms('app', 'list')).json;
    expect(listed).toMatchObject({ id, verification: 'in_review' });
  });

  it.each([[['--rejected', '--reason', 'Too much.']], [['--rejected', 'Too much.']]])(
    'rejects with a reason (%j)',
    async (words) => {
      const id = await anApp();
      await requestReview(shell.ctx, id, 'Reads contacts into a sheet.');

      const silent = await shell.wmsAnywhere('app', 'review', id, '--rejected');
      const answered = await shell.wmsAnywhere('app', 'review', id, ...words, '--json');

      expect([silent.code, silent.err]).toEqual([
        1,
        expect.stringMatching(/^Say either --verified/),
      ]);
      expect(answered.json).toEqual({ app_id: id, verification: 'rejected' });
      const listed: { id: string }[] = (await shell.wms('app', 'list')).json;
      expect(listed.find((app) => app.id === id)).toMatchObject({ review_note: 'Too much.' });
    },
  );

  it('refuses an app that does not exist, and one that waits for no review', async () => {
    const id = await anApp();

    const unknown = await shell.wmsAnywhere('app', 'review', 'app_x', '--verified', 'x', '--json');
    expect(unknown.code).toBe(1);
    const idle = await shell.wmsAnywhere('app', 'review', id, '--rejected', 'No.', '--json');
    expect(idle.code).toBe(1);
  });
});
