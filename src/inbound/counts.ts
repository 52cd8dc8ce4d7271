/** What the inbound side counts; each becomes a counter of `/metrics`. */
export type InboundCount =
  | 'refused_signature'
  | 'stored'
  | 'unreadable'
  | 'unknown_number'
  | 'unknown_message'
  | 'messages'
  | 'statuses'
  | 'failed';

/** Figures of what comes in, since the process started. */
export interface InboundCounts {
  add(what: InboundCount, by?: number): void;
}
