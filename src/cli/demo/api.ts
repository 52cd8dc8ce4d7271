import { CommandError } from '../output.ts';

/** The service's public API, as any integrator would call it. */
export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
}

/** What the service refused, as it says why. */
export class ApiError extends CommandError {
  readonly code: string;
  readonly details: unknown;

  constructor(call: string, { code, message, details }: Refusal) {
    super(`${call} was refused: ${message} (${code})`);
    this.code = code;
    this.details = details;
  }
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

/** Calls the API as an integrator would. Throws a `CommandError` for any answer but 2xx. */
export function createApi(baseUrl: string, apiKey: string): Api {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new CommandError(
        `${baseUrl} does not answer (${String(error)}). Start the service first: npm start.`,
      );
    });
    const answer = (await response.json().catch(() => {
      throw new CommandError(
        `${baseUrl} answers ${method} ${path} with ${response.status} and no JSON. Is it the service? wms doctor`,
      );
    })) as { readonly error?: Refusal };
    if (answer.error) throw new ApiError(`${method} ${path}`, answer.error);
    return answer as T;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  };
}
