import pg from 'pg';

const DATE = 1082;
const INT8 = 20;

/** One reading of PostgreSQL's types for every pool: times are Dates, dates stay `YYYY-MM-DD`, counts numbers. */
export const parsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === DATE) return (text: string) => text;
    if (oid === INT8) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};
