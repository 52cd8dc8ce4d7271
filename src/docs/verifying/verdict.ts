/** The guide's five usual causes, and two that are obvious. */
export type Cause = 'body' | 'secret' | 'key' | 'clock' | 'comparison' | 'headers' | 'content';

export interface Verdict {
  readonly verified: boolean;
  readonly cause: Cause | null;
  readonly title: string;
  /** What was found out, what cannot be determined, and what to do. */
  readonly sentences: readonly string[];
}

/** The verdict that the signature is invalid; `cause` is null if none can be named. */
export const refused = (
  cause: Cause | null,
  title: string,
  ...sentences: readonly string[]
): Verdict => ({
  verified: false,
  cause,
  title,
  sentences,
});
