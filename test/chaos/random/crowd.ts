import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerEntry } from '../../../src/simulator/sending/ledger.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Client } from './client.ts';
import { ANSWER, ASKING, type ChaosScene, HELLO, QUESTION, WAITING } from './scene.ts';

/** People whose runs of an automation begin, and who answer what they are asked. */
export interface Crowd {
  /** The nth run begins, of each automation in turn. */
  begin(n: number): Promise<void>;
  readonly begun: number;
  /** WhatsApp's ids of the messages that people wrote. */
  written(): Promise<string[]>;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 300;

export function openCrowd(
  { processes: { simulator } }: ChaosStage,
  { phoneNumberId }: ChaosScene,
  client: Client,
): Crowd {
  const writing: Promise<string>[] = [];
  let begun = 0;
  let stopped = false;

  /** The simulator posts it until the service takes it, as WhatsApp does. */
  async function write(from: string, text: string): Promise<string> {
    const response = await fetch(`${simulator.url}/simulator/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone_number_id: phoneNumberId, from, text }),
    });
    return ((await response.json()) as { id: string }).id;
  }

  async function answerQuestions(): Promise<void> {
    for (let after = 0; !stopped; await sleep(LOOK_EVERY_MS)) {
      const response = await fetch(`${simulator.url}/simulator/messages?after=${after}`);
      const { data } = (await response.json()) as { data: LedgerEntry[] };
      for (const { to } of data.filter(({ text }) => text === QUESTION))
        writing.push(write(to, ANSWER));
      after = Math.max(after, ...data.map(({ n }) => n));
    }
  }

  const answering = answerQuestions();
  answering.catch(() => {});
  return {
    begin: async (n) => {
      const phone = `+5511985${String(n).padStart(6, '0')}`;
      if (n % 3 === 1) await client.post('/contacts', { name: 'Bia', phone, tags: [WAITING] });
      else writing.push(write(phone, n % 3 === 0 ? HELLO : ASKING));
      begun += 1;
    },
    get begun() {
      return begun;
    },
    written: () => Promise.all(writing),
    stop: async () => {
      stopped = true;
      await answering;
    },
  };
}
