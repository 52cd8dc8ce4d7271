import type { RequestInfo } from '../context.ts';
import { AppError, unavailable } from '../errors.ts';

/** Whose file it is. */
export interface FileHolder {
  readonly credentialId: string;
  readonly organizationId: string;
}

/** At most so many of one credential, of one workspace and of everyone in this process. */
type Limits = Readonly<Record<keyof FileHolder | 'everyone', number>>;

/**
 * Takes a place for a file on its way, and returns how it is given back. Throws 429 while the holder or its workspace
 * has too many, 503 while all places are taken.
 */
type TakePlace = (holder: FileHolder) => () => void;

/** A file may go slowly, so neither one credential nor one workspace with many may take everyone's places. */
function filePlaces(verb: 'send' | 'download', limits: Limits): TakePlace {
  const taken: FileHolder[] = [];
  function requireFew(holder: FileHolder, by: keyof FileHolder, who: string): void {
    if (taken.filter((each) => each[by] === holder[by]).length < limits[by]) return;
    const message = `${who} ${verb} at most ${limits[by]} files at once.`;
    throw new AppError('rate_limited', message, { retry_after_s: 1 });
  }
  return (holder) => {
    requireFew(holder, 'credentialId', 'You can');
    requireFew(holder, 'organizationId', 'A workspace can');
    if (taken.length >= limits.everyone)
      throw unavailable(
        `Too many files are ${verb === 'send' ? 'sent' : 'downloaded'} at once. Try again shortly.`,
      );
    taken.push(holder);
    return () => void taken.splice(taken.indexOf(holder), 1);
  };
}

/** Files of 100 MB: what a process stores on disk at most, for which `docker-compose.yml` and `deploy/kubernetes` have room. */
export const UPLOADS_AT_ONCE = 16;

export const takeUploadPlace = filePlaces('send', {
  credentialId: 4,
  organizationId: 8,
  everyone: UPLOADS_AT_ONCE,
});

const takeDownloadPlace = filePlaces('download', {
  credentialId: 16,
  organizationId: 32,
  everyone: 128,
});

/** Takes a place until the answer is over: up to three pieces of 1 MiB wait in memory for each slow reader. */
export const placeDownload = (holder: FileHolder, { gone }: RequestInfo): unknown =>
  gone?.(takeDownloadPlace(holder));
