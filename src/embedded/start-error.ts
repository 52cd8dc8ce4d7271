/** A part of the local set-up cannot start. The message says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
