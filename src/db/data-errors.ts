/** SQLSTATE classes 22 and 23: the data is wrong, as opposed to a database that is down. */
export const isAboutData = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown } | null)?.code ?? ''));
