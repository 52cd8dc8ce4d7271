/** Milliseconds. A day here is a span of time, whatever clocks do; calendar days need a time zone. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
