/**
 * SQL, starting with `from`: the advisory locks of a lock space held in this database, with two keys each (`objid` is
 * the second).
 *
 * @param space a number or a parameter
 */
export const heldIn = (space: string): string => `
  from pg_locks where locktype = 'advisory' and classid = ${space} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`;
