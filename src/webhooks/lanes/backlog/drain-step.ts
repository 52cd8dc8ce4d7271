/** What the workflow does next, and what an operator reads about it. No personal data. */
export type DrainStep =
  | {
      readonly next: 'end';
      readonly moved: number;
      readonly says: string;
      readonly freshAt?: undefined;
    }
  | {
      readonly next: 'look';
      readonly moved: number;
      readonly says: string;
      readonly stage: 'draining' | 'waiting' | 'resending' | 'holding' | 'ending';
      readonly waitMs: number;
      /** What the wait is for. */
      readonly why: string;
      /** When deliveries without an attempt were last released, ISO 8601; for the next look. */
      readonly freshAt?: string;
    };

/**
 * @param moved how many deliveries this run of the workflow has handled
 */
export const end = (moved: number, says: string): DrainStep => ({ next: 'end', moved, says });
