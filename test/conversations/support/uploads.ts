import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach } from '@jest/globals';
import type { Simulator } from '../../../src/simulator/simulator.ts';

interface Refusal {
  readonly status: number;
  readonly code: number;
}

/** Uploads and sends that go otherwise than the simulator's do, until the end of each test. */
export function uploadScene(scene: { readonly simulator: Simulator }) {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** The simulator, with something that happens first whenever something is posted there. */
  async function whenever(path: string, happening: () => Promise<Refusal | undefined>) {
    const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const body = await buffer(req);
      const refusal = req.url?.endsWith(path) ? await happening() : undefined;
      const { authorization = '', 'content-type': type = '' } = req.headers;
      const passOn = (): Promise<Response> =>
        fetch(`${scene.simulator.url}${req.url}`, {
          method: req.method ?? 'POST',
          headers: { authorization, 'content-type': type },
          body: req.method === 'GET' ? null : body,
        });
      const refuse = ({ status, code }: Refusal): Response =>
        Response.json({ error: { code, message: 'refused by the test' } }, { status });
      const answer = refusal ? refuse(refusal) : await passOn();
      res.writeHead(answer.status, { 'content-type': 'application/json' });
      res.end(await answer.text());
    };
    server = createServer((req, res) => {
      handle(req, res).catch((error) => {
        // Or the upload waits for an answer until the test is given up for that.
        res.destroy();
        throw error;
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  return {
    /** The simulator, with something that happens first whenever a file is uploaded. */
    uploadsAre: (happening: () => Promise<Refusal | undefined>): Promise<string> =>
      whenever('/media', happening),
    /** The simulator, with something that happens first whenever a message is sent. */
    sendsAre: (happening: () => Promise<Refusal | undefined>): Promise<string> =>
      whenever('/messages', happening),
  };
}
