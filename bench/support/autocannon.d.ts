declare module 'autocannon' {
  namespace autocannon {
    interface Request {
      method: 'GET';
      path: string;
      headers?: Record<string, string>;
    }
    interface Client {
      setRequests(requests: Request[]): void;
    }
    interface Options {
      url: string;
      connections: number;
      /** Seconds. */
      duration: number;
      requests: Request[];
      setupClient?: (client: Client) => void;
    }
    interface Result {
      /** Seconds. */
      duration: number;
      '2xx': number;
      non2xx: number;
      errors: number;
      timeouts: number;
      latency: { p50: number; p99: number };
    }
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;
  export = autocannon;
}
