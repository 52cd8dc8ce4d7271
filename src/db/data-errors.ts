/** SQLSTATE classes 22 and 23: these rows are wrong, as against a database that is away. */
export const isAboutData = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown } | null)?.code ?? ''));
