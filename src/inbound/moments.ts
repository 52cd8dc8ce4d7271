/** A WhatsApp timestamp, in whole seconds; a time in the future becomes now. */
export const momentOf = (unixSeconds: string, now: Date): Date =>
  new Date(Math.min(Number(unixSeconds) * 1000, now.getTime()));
