import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMailer } from '../../src/mail/mailer.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0, callbackUrl: 'http://127.0.0.1:9', appSecret: 's' });
});
afterAll(() => simulator.stop());

const from = 'Mensagens <no-reply@example.com>';

async function listed(to: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${simulator.url}/simulator/mails?to=${encodeURIComponent(to)}`);
  return ((await response.json()) as { data: Record<string, unknown>[] }).data;
}

describe("the simulator's mail server", () => {
  it('keeps what our mailer sends, as it was written', async () => {
    const mailer = createMailer({ url: simulator.smtpUrl, from });
    const subject = 'Convite para Padaria São João, onde se faz o melhor pão da região inteira 🥖';
    const text = `Olá, María!\n.\n..dois pontos\n\nhttps://example.com/${'a'.repeat(90)}?x=1&y=2\n=fim`;

    await mailer.send({ to: 'Ana@example.com', subject, text });
    await mailer.send({ to: 'bia@example.com', subject: 'Second', text: 'Plain text.' });
    mailer.close();

    expect(await listed('ana@example.com')).toEqual([
      expect.objectContaining({
        n: 1,
        from: 'no-reply@example.com',
        to: ['Ana@example.com'],
        subject,
        text,
      }),
    ]);
    expect(await listed('nobody@example.com')).toEqual([]);
  });

  it('keeps the blanks at which a long line was folded', async () => {
    const mailer = createMailer({ url: simulator.smtpUrl, from });
    const text = `Olá! ${'palavra '.repeat(30)}fim`;

    await mailer.send({ to: 'lia@example.com', subject: 'Longa', text });
    mailer.close();

    expect(await listed('lia@example.com')).toEqual([expect.objectContaining({ text })]);
  });

  it('shows them on a page, newest first, with links and without markup of theirs', async () => {
    const mailer = createMailer({ url: simulator.smtpUrl, from });
    const text = 'See http://localhost:3000/invitations/abc\n<script>alert(1)</script>';
    await mailer.send({ to: 'ana@example.com', subject: '<b>Hello</b>', text });
    mailer.close();

    const response = await fetch(`${simulator.url}/mail`);
    const html = await response.text();

    expect(html).toContain('&lt;b&gt;Hello&lt;/b&gt;');
    expect(html).toContain('<a href="http://localhost:3000/invitations/abc">');
    expect(html).not.toContain('<script>');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('cannot be made to send to more people by an address', async () => {
    const mailer = createMailer({ url: simulator.smtpUrl, from });

    const sent = mailer.send({
      to: 'eva@example.com, others@example.com\r\nBcc: more@example.com',
      subject: 'Hello\r\nBcc: more@example.com',
      text: 'x',
    });
    await sent.catch(() => {});
    mailer.close();

    expect(await listed('more@example.com')).toEqual([]);
    expect(await listed('others@example.com')).toEqual([]);
  });

  it('rejects when no server is there', async () => {
    const mailer = createMailer({ url: 'smtp://127.0.0.1:9', from });

    await expect(mailer.send({ to: 'a@example.com', subject: 'x', text: 'x' })).rejects.toThrow();
    mailer.close();
  });
});
