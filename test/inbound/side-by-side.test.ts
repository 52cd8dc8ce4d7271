import { describe, expect, it } from '@jest/globals';
import { createFairLimiter } from '../../src/concurrency.ts';
import type { Arrival } from '../../src/inbound/messages/arrivals.ts';
import type { Reading } from '../../src/inbound/reading.ts';
import { takeSideBySide } from '../../src/inbound/side-by-side.ts';

interface Part {
  readonly name: string;
  readonly reading: Reading;
}

const EMPTY: Reading = {
  businessAccountId: '1',
  phoneNumberId: '1',
  arrivals: [],
  echoes: [],
  reports: [],
  preferences: [],
  identityChanges: [],
  groups: [],
  calls: [],
  numberErrors: [],
};

const written = (who: Partial<Arrival>): Arrival => ({
  providerId: 'wamid.1',
  phone: null,
  waUserId: null,
  name: '',
  at: new Date(0),
  type: 'text',
  text: 'Oi',
  media: null,
  replyTo: null,
  payload: null,
  lead: '',
  groupId: null,
  ...who,
});

const by = (name: string, ...who: Partial<Arrival>[]): Part => ({
  name,
  reading: { ...EMPTY, arrivals: who.map(written) },
});

/** Who was `before` is `after` now. */
const changed = (name: string, before: string, after: string): Part => ({
  name,
  reading: {
    ...EMPTY,
    identityChanges: [
      { before: { phone: before, waUserId: null }, after: { phone: after, waUserId: null } },
    ],
  },
});

/** Takes parts, each until it is told to end; `under` are those under way, `ended` those that have ended. */
function taking(parts: readonly Part[], most = 4) {
  const under = new Map<string, () => void>();
  const ended: string[] = [];
  const all = takeSideBySide(parts, createFairLimiter(most)('org_1'), ({ name }) =>
    new Promise<void>((resolve) => under.set(name, resolve)).then(() => {
      ended.push(name);
      return null;
    }),
  );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    all,
    ended,
    under: async () => {
      await settled();
      return [...under.keys()];
    },
    end: async (name: string) => {
      under.get(name)?.();
      under.delete(name);
      await settled();
    },
  };
}

const ana = { phone: '+5511940000001' };
const bia = { phone: '+5511940000002' };

describe('messages of one webhook after another', () => {
  it('are taken side by side when different people wrote them, and in their order for each', async () => {
    const { under, end, all, ended } = taking([by('a1', ana), by('b1', bia), by('a2', ana)]);

    expect(await under()).toEqual(['a1', 'b1']);
    await end('b1');
    expect(await under()).toEqual(['a1']);
    await end('a1');
    expect(await under()).toEqual(['a2']);
    await end('a2');
    await all;

    expect(ended).toEqual(['b1', 'a1', 'a2']);
  });

  it('are one person’s by the phone or by WhatsApp’s id', async () => {
    const { under } = taking([
      by('phone', ana),
      by('both', { ...ana, waUserId: 'u1' }),
      by('id', { ...bia, waUserId: 'u1' }),
    ]);

    expect(await under()).toEqual(['phone']);
  });

  it('are never more at once than there are places', async () => {
    const { under, end } = taking([by('a', ana), by('b', bia), by('c', { phone: '+3' })], 2);

    expect(await under()).toEqual(['a', 'b']);
    await end('b');
    expect(await under()).toEqual(['a', 'c']);
  });

  it.each<[string, Part]>([
    ['a group', by('middle', { ...ana, groupId: 'g1' })],
    ['somebody without a phone', by('middle', { waUserId: 'u1' })],
    ['our own phone', { name: 'middle', reading: { ...EMPTY, echoes: [{} as never] } }],
    ['somebody who has a new phone', changed('middle', '+8', '+9')],
  ])('wait for a message of %s, and it for those before', async (_, middle) => {
    const { under, end } = taking([by('a', ana), middle, by('b', bia)]);

    expect(await under()).toEqual(['a']);
    await end('a');
    expect(await under()).toEqual(['middle']);
    await end('middle');
    expect(await under()).toEqual(['b']);
  });

  it.each<[string, [Partial<Arrival>, Partial<Arrival>, Partial<Arrival>]]>([
    ['the phone', [ana, ana, ana]],
    ['WhatsApp’s id alone', [{ waUserId: 'u1' }, { waUserId: 'u1' }, { waUserId: 'u1' }]],
    ['the phone, and then by WhatsApp’s id', [{ ...ana, waUserId: 'u1' }, { waUserId: 'u1' }, ana]],
    ['the phone, also in a group', [ana, { ...ana, groupId: 'g1' }, ana]],
  ])(
    'wait while an earlier one of the person, known by %s, waits',
    async (_, [first, second, third]) => {
      const waiting: [string, unknown][] = [];
      const parts = [by('1', first), by('2', second), by('b', bia), by('3', third)];

      await takeSideBySide(parts, createFairLimiter(4)('org_1'), async ({ name }, held) => {
        waiting.push([name, held]);
        return held ?? (name === '1' ? 'a lock' : null);
      });

      expect(Object.fromEntries(waiting)).toEqual({ 1: null, 2: 'a lock', b: null, 3: 'a lock' });
    },
  );

  it('wait under a new phone while an earlier one from the phone before waits', async () => {
    const waiting: [string, unknown][] = [];
    const parts = [
      by('1', ana),
      changed('2', ana.phone, '+3'),
      by('b', bia),
      by('3', { phone: '+3' }),
    ];

    await takeSideBySide(parts, createFairLimiter(4)('org_1'), async ({ name }, held) => {
      waiting.push([name, held]);
      return held ?? (name === '1' ? 'a lock' : null);
    });

    expect(Object.fromEntries(waiting)).toEqual({ 1: null, 2: 'a lock', b: null, 3: 'a lock' });
  });
});
