import type { ServerResponse } from 'node:http';
import type { Gone } from '../../context.ts';

/** Whether the caller waiting for this answer has disconnected. */
export const goneFrom =
  (res: ServerResponse): Gone =>
  (callback) => {
    if (res.closed) callback();
    else res.once('close', callback);
    return () => res.off('close', callback);
  };
