import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { APP_SECRET, NUMBER, openSimulatorStage } from './support/stage.ts';

const stage = opened(openSimulatorStage);

const person = '5511980900005';
const phone = async (seen = 0) =>
  stage.get(`/simulator/phone?phone_number_id=${NUMBER}&person=${person}&seen=${seen}`);

describe('the phone in the browser', () => {
  it.each([
    ['/', 'text/html'],
    ['/phone.css', 'text/css'],
    ['/phone.js', 'text/javascript'],
    ['/phone.svg', 'image/svg+xml'],
  ])('serves %s under a policy that runs nothing foreign', async (path, type) => {
    const answer = await fetch(stage.simulator.url + path);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain(type);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(await answer.text()).not.toMatch(/ style=| on\w+="|<script(?! type="module" src=)/);
  });

  it('shows what arrived with its last status, and what the person wrote', async () => {
    // Before the other one: the answer to it comes by itself a moment later.
    await stage.post('/simulator/inbound', {
      phone_number_id: NUMBER,
      from: person,
      name: 'Ana Souza',
      text: 'Bom dia!',
    });
    await stage.send(person);
    await eventually(() => stage.receiver.messages().length === 2);
    const { body } = await phone();

    expect(body.conversations).toMatchObject([
      { phone_number_id: NUMBER, person, name: 'Ana Souza' },
    ]);
    expect(body.messages).toMatchObject([
      { direction: 'from_person', text: 'Bom dia!', status: null },
      { direction: 'to_person', text: `Hello ${person}`, status: 'read' },
      { direction: 'from_person', text: 'Thanks, I got your message!', status: null },
    ]);
  });

  it('answers 204 as long as nothing changed', async () => {
    const { version } = (await phone()).body;
    const unchanged = await phone(version);
    await stage.send(person, 'again');

    expect(unchanged.status).toBe(204);
    expect((await phone(version)).status).toBe(200);
  });

  it.each([
    ['GET', '/nothing', 404],
    ['POST', '/v23.0/messages', 404],
    ['GET', '/simulator/nothing', 404],
    ['DELETE', '/simulator/messages', 405],
  ])('%s %s answers %i', async (method, path, status) => {
    const answer = await fetch(stage.simulator.url + path, { method });

    expect(answer.status).toBe(status);
  });
});

describe('starting the simulator', () => {
  const alone = (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['src/simulator/main.ts'], {
      env: { PATH: process.env['PATH'], ...env },
    });
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said.text += chunk;
      });
    }
    return { child, said };
  };

  it('rejects where the port is taken', async () => {
    const { port } = stage.simulator;
    const second = startSimulator({ port, callbackUrl: stage.receiver.url, appSecret: 's' });

    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('runs alone from its environment and ends on SIGTERM', async () => {
    const { child, said } = alone({
      SIMULATOR_PORT: '0',
      SIMULATOR_CALLBACK_URL: stage.receiver.url,
      WHATSAPP_APP_SECRET: APP_SECRET,
    });
    await eventually(() => said.text.includes('WhatsApp simulator at http://127.0.0.1:'));
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');

    expect(said.text).toContain(`webhooks to ${stage.receiver.url}`);
    expect(code).toBe(0);
  });

  it.each([
    ['SIMULATOR_CALLBACK_URL', { SIMULATOR_CALLBACK_URL: 'nonsense' }],
    ['WHATSAPP_APP_SECRET', { WHATSAPP_APP_SECRET: '' }],
    ['SIMULATOR_PORT', { SIMULATOR_PORT: 'x' }],
  ])('names a wrong %s and does not start', async (name, wrong) => {
    const right = { SIMULATOR_CALLBACK_URL: stage.receiver.url, WHATSAPP_APP_SECRET: APP_SECRET };
    const { child, said } = alone({ SIMULATOR_PORT: '0', ...right, ...wrong });
    const [code] = await once(child, 'close');

    expect(code).toBe(1);
    expect(said.text).toContain(name);
  });

  it('says which port is taken', async () => {
    const port = String(stage.simulator.port);
    const { child, said } = alone({
      SIMULATOR_PORT: port,
      SIMULATOR_CALLBACK_URL: stage.receiver.url,
      WHATSAPP_APP_SECRET: APP_SECRET,
    });
    const [code] = await once(child, 'close');

    expect(code).toBe(1);
    expect(said.text).toContain(`port ${port} is taken`);
  });
});
