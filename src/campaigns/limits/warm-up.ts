const FIRST_DAY = 20;
const GROWTH = 1.4;
const MOST = 1_000;

/**
 * How many new people a paired number may write to on the nth day it does so, counted from 1 (design decisions §5). A
 * safeguard: such numbers are phones, and phones that write to many strangers are banned.
 */
export const warmUpCap = (day: number): number =>
  Math.min(MOST, Math.floor(FIRST_DAY * GROWTH ** (day - 1)));
