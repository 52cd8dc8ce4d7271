import { CommandError } from '../output.ts';

/** The service's public API, as any integrator would call it. */
export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly details: unknown;

  constructor(code: string, message: string, details: unknown) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
  }
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
    const answer = (await response.json()) as T & {
      error?: { code: string; message: string; details?: unknown };
    };
    if (answer.error)
      throw new ApiError(answer.error.code, answer.error.message, answer.error.details);
    return answer;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  };
}
