import { expect, it } from '@jest/globals';
import type { Claimed } from '../../../src/campaigns/batches/claims.ts';
import { createWindow } from '../../../src/campaigns/batches/window.ts';

const row = (recipientId: string): Claimed => ({
  recipientId,
  messageId: `msg_${recipientId}`,
  contactId: null,
  name: '',
  phone: '',
  text: 'Oi',
  attempts: 1,
  written: false,
  token: 'mine',
});

it('what was claimed so long ago that another process may take it is not sent', async () => {
  const [sent, late]: string[][] = [[], []];
  const window = createWindow(
    async ({ recipientId }) => {
      sent?.push(recipientId);
      return { kind: 'accepted', providerId: 'wamid.1' };
    },
    () => {},
    ({ recipientId }) => void late?.push(recipientId),
  );
  const now = performance.now();

  window.offer([row('old')], now - 15_000, () => now);
  window.offer([row('new')], now, () => now);
  await window.idle();

  expect([sent, late]).toEqual([['new'], ['old']]);
});

it('what comes while a stop is looked into goes out only once it is over', async () => {
  const sent: string[] = [];
  const window = createWindow(
    async ({ recipientId }) => {
      sent.push(recipientId);
      return { kind: 'accepted', providerId: 'wamid.1' };
    },
    () => {},
    () => {},
  );
  const now = performance.now();

  window.hold();
  window.offer([row('one')], now, () => now);
  const meanwhile = [...sent];
  window.go();
  await window.idle();

  expect([meanwhile, sent]).toEqual([[], ['one']]);
});
