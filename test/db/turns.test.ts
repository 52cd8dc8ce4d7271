import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Gone } from '../../src/context.ts';
import { Turns } from '../../src/db/connections/turns.ts';

/** Turns at a clock that is set; each piece of work takes until it is ended. */
function someTurns(places: number, share = places) {
  let moment = 0;
  const turns = new Turns({ places, share, waitMs: 250, longestMs: 600_000 }, () => moment);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const settled = (): Promise<void> => new Promise(setImmediate);
  return {
    turns,
    begun,
    at: (ms: number): void => {
      moment = ms;
    },
    /** Work of the workspace that its name begins with. What became of it: done, or why not. */
    ask: async (name: string, gone?: Gone): Promise<string> => {
      const work = async (): Promise<string> => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (name.endsWith('fails')) throw new Error('It failed.');
        return 'done';
      };
      return turns
        .inTurn(name.slice(0, 1), work, gone)
        .catch(({ message }: Error) => message.replace(/[ .].*/, ''));
    },
    settled,
    /** Ends that work, and lets happen what follows from it. */
    end: async (...names: string[]): Promise<void> => {
      for (const name of names) {
        ends.get(name)?.();
        await settled();
      }
    },
  };
}

describe('connections that workspaces share', () => {
  it('go to whoever came first, but never more than its share to one workspace', async () => {
    const { ask, begun, end, settled, turns } = someTurns(4, 2);
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name));
    await settled();
    const atOnce = [...begun];
    await end('b1', 'a2', 'a1', 'c1', 'b2', 'a3', 'a4');

    expect(atOnce).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect(begun.slice(4)).toEqual(['b2', 'a3', 'a4']);
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
    expect(turns.length).toBe(0);
  });

  it('keep one for a workspace that has none, and are shared evenly by those that ask for many', async () => {
    const { ask, begun, end, settled } = someTurns(5);
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3'];
    const asked = names.map((name) => ask(name));
    await settled();
    await end('a1');
    asked.push(ask('c1'));
    await end('c1', 'a2', 'a3');
    const shared = begun.join(' ');
    await end('a4', 'b1', 'b2', 'a5', 'a6', 'b3');

    expect(shared).toBe('a1 a2 a3 a4 b1 c1 b2 a5');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
  });

  it('go to a workspace that has none before another gets its second, and among those to who came first', async () => {
    const { ask, begun, end, settled } = someTurns(3);
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1', 'a4'].map((name) => ask(name));
    await settled();
    for (let n = 0; n < asked.length; n++) await end(begun[n] ?? 'nobody');

    expect(begun.join(' ')).toBe('a1 a2 b1 c1 a3 b2 d1 a4');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
  });

  it('have a line of everybody, in which those who wait for their own workspace do not count', async () => {
    const { ask, at, end, settled, turns } = someTurns(3);
    const asked = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name));
    at(1_000);
    const alone = [turns.length, turns.wait()];
    asked.push(ask('b1'), ask('b2'));
    const taken = [turns.length, turns.wait()];
    asked.push(ask('c1'));
    turns.wait();
    at(1_500);
    const crowded = [turns.length, turns.wait()];
    await settled();
    await end('a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4');

    expect([alone, taken, crowded]).toEqual([
      [2, 0],
      [3, 0],
      [4, 500],
    ]);
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
  });

  it('are given back by who failed, and not waited for any more by who went away', async () => {
    const { ask, begun, end, settled, turns } = someTurns(1, 1);
    const going = new EventEmitter();
    const gone: Gone = (callback) => {
      going.once('close', callback);
      return () => going.off('close', callback);
    };
    const hasGone: Gone = (callback) => {
      callback();
      return () => {};
    };
    const asked = [ask('a fails'), ask('a goes', gone), ask('a has gone', hasGone), ask('a')];
    await settled();
    const before = turns.length;
    going.emit('close');
    const after = turns.length;
    await end('a fails', 'a');

    expect([before, after]).toEqual([2, 1]);
    expect(await Promise.all(asked)).toEqual(['It', 'Other', 'Other', 'done']);
    expect(begun).toEqual(['a fails', 'a']);
  });

  it('are refused at once to a workspace whose own line is too long for longer than a burst', async () => {
    const { ask, at, begun, end, settled } = someTurns(2, 1);
    const asked = [ask('a holds it'), ask('a first')];
    for (const ms of [0, 251, 751]) {
      at(ms);
      asked.push(ask(`a at ${ms}`));
    }
    at(752);
    const refused = await ask('a too late');
    asked.push(ask('b'));
    await settled();
    await end('b', 'a holds it', 'a first', 'a at 0', 'a at 251', 'a at 751');

    expect(refused).toBe('This');
    expect(await Promise.all(asked)).toEqual(Array.from(asked, () => 'done'));
    expect(begun).not.toContain('a too late');
  });

  it('are given up when the turn does not come in time', async () => {
    const turns = new Turns({ places: 1, share: 1, waitMs: 250, longestMs: 10 });
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = turns.inTurn('a', () => promise);
    const late = await turns.inTurn('b', async () => 'done').catch((error: Error) => error);
    resolve('done');

    expect(late).toMatchObject({ code: 'unavailable' });
    expect(await first).toBe('done');
    expect(await turns.inTurn('b', async () => 'next')).toBe('next');
  });
});
