import type { Config } from '../config.ts';

/**
 * What to do about a part that is unknown or silent. In production, as in the container image, `npm start` would not
 * start it.
 */
export const remedy = ({ NODE_ENV }: Pick<Config, 'NODE_ENV'>, setting: string): string =>
  NODE_ENV === 'production'
    ? `Check ${setting}, and that its server runs.`
    : `Start the service (npm start) or set ${setting}.`;
