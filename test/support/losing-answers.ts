import type pg from 'pg';

type Asked = string | { readonly name?: string };

/**
 * A pool that loses the answers to the first so many commits after this statement: each is done, and nobody knows.
 *
 * @param onLost called once for each of them, before its caller hears of it
 */
export function losingAnswers(
  pool: pg.Pool,
  statement: string,
  times: number,
  onLost: () => void = () => {},
): pg.Pool {
  let left = times;
  const bound = <T extends object>(target: T, key: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const losing = (client: pg.PoolClient): pg.PoolClient => {
    let inDoubt = false;
    const query = async (asked: Asked): Promise<unknown> => {
      if (typeof asked === 'object' && asked.name === statement) inDoubt = true;
      const answer: unknown = await client.query(asked as string);
      if (asked !== 'commit' || !inDoubt || left === 0) return answer;
      left -= 1;
      onLost();
      throw new Error('Connection terminated unexpectedly');
    };
    return new Proxy(client, {
      get: (target, key) => (key === 'query' ? query : bound(target, key)),
    });
  };
  return new Proxy(pool, {
    get: (target, key) =>
      key === 'connect' ? () => target.connect().then(losing) : bound(target, key),
  });
}
