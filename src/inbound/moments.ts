/** WhatsApp's whole seconds. Nothing has happened later than now, whatever a stamp says. */
export const momentOf = (unixSeconds: string, now: Date): Date =>
  new Date(Math.min(Number(unixSeconds) * 1000, now.getTime()));
