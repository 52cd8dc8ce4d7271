import type { ServerResponse } from 'node:http';
import type { Gone } from '../context.ts';

/** Whether whoever waits for this answer has gone away. */
export const goneFrom =
  (res: ServerResponse): Gone =>
  (callback) => {
    if (res.closed) callback();
    else res.once('close', callback);
    return () => res.off('close', callback);
  };
