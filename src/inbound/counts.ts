/** What is counted while receiving; each becomes a counter in `/metrics`. */
export type InboundCount =
  | 'refused_signature'
  | 'stored'
  | 'unreadable'
  | 'unknown_number'
  | 'unknown_message'
  | 'messages'
  | 'statuses'
  | 'failed'
  | 'given_up';

/** Counts since the process started. */
export interface InboundCounts {
  add(what: InboundCount, by?: number): void;
}
