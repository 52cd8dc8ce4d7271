/** The five usual causes of the guide, and two that are seen at once. */
export type Cause = 'body' | 'secret' | 'key' | 'clock' | 'comparison' | 'headers' | 'content';

export interface Verdict {
  readonly verified: boolean;
  readonly cause: Cause | null;
  readonly title: string;
  /** What was found out, what cannot be told, and what to do. */
  readonly sentences: readonly string[];
}

/** A verdict that the signature does not hold; `cause` is null where none can be told. */
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
