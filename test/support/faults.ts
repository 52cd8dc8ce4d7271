import type { Simulator } from '../../src/simulator/simulator.ts';

/** What the simulator does wrong from now on, in place of what it did until now. */
export async function setFaults({ url }: Pick<Simulator, 'url'>, faults: object): Promise<void> {
  const response = await fetch(`${url}/simulator/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  if (!response.ok) throw new TypeError(await response.text());
}
