/** A person, as a webhook names them: by one of the two at least. */
export interface Sender {
  /** E.164; null if the person hides it. */
  readonly phone: string | null;
  /** WhatsApp's id of the person for this business; null if none was sent. */
  readonly waUserId: string | null;
}

/** A phone as WhatsApp writes one. */
const DIGITS = /^\d{5,20}$/;

/** In E.164; null for what is no phone. */
const phoneOf = (written: string | undefined): string | null =>
  written !== undefined && DIGITS.test(written) ? `+${written}` : null;

/**
 * @param written the phone, or the person's id where they hide it
 * @returns null if nobody is named
 */
export function senderOf(
  written: string | undefined,
  userId: string | null | undefined,
): Sender | null {
  const phone = phoneOf(written);
  const waUserId = userId ?? (phone === null ? (written ?? null) : null);
  return phone === null && waUserId === null ? null : { phone, waUserId };
}
