/** How a person came to the workspace: the report's five (design decisions §12). */
export const ORIGINS = ['direct', 'form', 'import', 'campaign', 'team'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The finer way in. */
export const CREATED_VIA = [
  'message',
  'form',
  'import',
  'api',
  'campaign',
  'member',
  'automation',
] as const;
export type CreatedVia = (typeof CREATED_VIA)[number];
