/**
 * Milliseconds by the machine's monotonic clock, since some moment of the past: the one clock that two processes read
 * alike. By `performance.timeOrigin` they would differ by what the wall clock was set between their starts.
 */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;
