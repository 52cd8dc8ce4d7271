/** Points at which a test can end the process, to prove that nothing is lost or sent twice (docs/testing.md). */
export type FaultPoint =
  | 'before-commit'
  | 'after-commit'
  | 'before-dispatch'
  | 'after-reserve'
  | 'after-gateway-accept'
  | 'before-record'
  | 'after-attempt-record'
  | 'after-release'
  | 'before-complete';

interface Armed {
  readonly point: string;
  readonly nth: number;
  hits: number;
}

let armed: Armed | null = null;

/** Arms one point, `point:nth:kill`. The configuration refuses this outside tests. */
export function armFault(specification: string): void {
  const [point = '', nth = '1'] = specification.split(':');
  armed = { point, nth: Number(nth), hits: 0 };
}

/** Does nothing unless a test armed this very point; then the process dies as by `kill -9`. */
export function faultPoint(point: FaultPoint): void {
  if (armed?.point !== point) return;
  armed.hits += 1;
  if (armed.hits === armed.nth) process.kill(process.pid, 'SIGKILL');
}
