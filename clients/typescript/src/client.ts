import { createClient as createTransport } from './generated/client/index.ts';
import { WorkspaceMessaging } from './generated/sdk.gen.ts';
import { bringsFile, type RetryOptions, retrying } from './retrying.ts';

export interface ClientOptions extends RetryOptions {
  /** `sk_live_…`, or an OAuth access token; a function is asked for each call. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Where the service is, without `/api`: `https://messaging.example.com`. */
  readonly baseUrl: string;
  /** In place of the platform's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * A client of one workspace: one method for each operation of the API, each of which answers the body, or
 * throws `ApiError` or `ConnectionFailed`.
 */
export function createClient(options: ClientOptions): WorkspaceMessaging {
  const {
    apiKey,
    baseUrl,
    fetch: send = (request: Request) => fetch(request),
    ...retries
  } = options;
  const client = createTransport({
    baseUrl: `${baseUrl.replace(/\/+$/, '')}/api`,
    auth: () => (typeof apiKey === 'function' ? apiKey() : apiKey),
    fetch: retrying(send, retries) as typeof fetch,
    throwOnError: true,
  });
  // By its type alone, a file of text or JSON would arrive as a string or an object.
  client.interceptors.request.use((request, call) => {
    if (call.parseAs === 'auto' && bringsFile(request)) call.parseAs = 'blob';
    return request;
  });
  return new WorkspaceMessaging({ client });
}
