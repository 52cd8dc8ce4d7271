import type { AppError } from '../errors.ts';

/** How an area tells its callers what was thrown, or that they come too late. */
export interface ErrorTelling {
  /** The page shown when something is thrown; without it, the API's JSON. */
  readonly errorPage?: ErrorPage;
  /** For callers who understand the errors of another protocol only. */
  readonly errorBody?: ErrorBody;
}

/** A page instead of an error body. The status is the error's own. */
export type ErrorPage = (error: AppError, seen: ErrorSeen) => HtmlPage;

/** JSON instead of our own envelope, with its status, and headers beside those of the error. */
export type ErrorBody = (error: AppError) => {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
};

export interface ErrorSeen {
  readonly requestId: string;
  /** The raw `Accept-Language`, or "". */
  readonly languages: string;
}

/** A page and what it may load. */
export interface HtmlPage {
  readonly html: string;
  /** The page's own policy; the frame's allows nothing at all. */
  readonly csp: string;
}
