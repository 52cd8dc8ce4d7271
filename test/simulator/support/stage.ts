import type { LedgerEntry } from '../../../src/simulator/sending/ledger.ts';
import { type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { openReceiver } from './receiver.ts';

export const APP_SECRET = 'app-secret-of-the-test';
export const NUMBER = '106540352242922';

/** What the simulator's answers hold, as far as tests look into them. */
interface Answer {
  error: { code: number; message: string };
  messages: { id: string }[];
  id: string;
  delivered: boolean;
  version: number;
  conversations: object[];
  data: LedgerEntry[];
}

/** A simulator with a receiver for its webhooks, and the calls that tests make. */
export async function openSimulatorStage(options: Partial<SimulatorOptions> = {}) {
  const receiver = await openReceiver();
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: receiver.url,
    appSecret: APP_SECRET,
    ...options,
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${simulator.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Answer,
    };
  };
  const sendBody = (body: unknown, number = NUMBER) =>
    post(`/v23.0/${number}/messages`, body, { authorization: 'Bearer token' });

  return {
    receiver,
    simulator,
    post,
    sendBody,
    send: (to: string, key = `key-${to}`, number = NUMBER) =>
      sendBody(
        {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to,
          type: 'text',
          text: { body: `Hello ${to}` },
          biz_opaque_callback_data: key,
        },
        number,
      ),
    get: async (path: string) => {
      const answer = await fetch(`${simulator.url}${path}`);
      return {
        status: answer.status,
        body: (answer.status === 204 ? {} : await answer.json()) as Answer,
      };
    },
    faults: (faults: unknown) => post('/simulator/faults', faults),
    statusesOf: (key: string) =>
      receiver
        .statuses()
        .filter((one) => one.biz_opaque_callback_data === key)
        .map(({ status }) => status),
    close: async () => {
      await simulator.stop();
      await receiver.close();
    },
  };
}

export type SimulatorStage = Awaited<ReturnType<typeof openSimulatorStage>>;
