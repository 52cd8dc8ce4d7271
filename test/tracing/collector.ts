import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came by OTLP, with what tests ask for. */
export interface Seen {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  /** Traces that it was linked to. */
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What takes traces in: OTLP over HTTP, as JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly Seen[];
  /** Everything that came, as it came. */
  readonly text: string;
  /** Names of the services and the headers that they sent. */
  readonly senders: ReadonlySet<string>;
  close(): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly links?: readonly { readonly traceId: string }[];
        readonly attributes: readonly Pair[];
      }[];
    }[];
  }[];
}

const valuesOf = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );

export async function openCollector(): Promise<Collector> {
  const spans: Seen[] = [];
  const senders = new Set<string>();
  let text = '';
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      text += body;
      for (const { resource, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
        const service = valuesOf(resource.attributes)['service.name'];
        senders.add(`${req.url} ${service} ${req.headers['x-collector-key']}`);
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            ...span,
            parentSpanId: span.parentSpanId ?? '',
            links: (span.links ?? []).map(({ traceId }) => traceId),
            attributes: valuesOf(span.attributes),
          });
      }
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    senders,
    get text() {
      return text;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
