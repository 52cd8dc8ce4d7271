interface Asked {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

const WAITING = `
select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`;

/** How many statements wait for a lock in the database of a pool or client. */
export const statementsWaiting = async (asked: Asked): Promise<number> =>
  (await asked.query(WAITING)).rows.length;
