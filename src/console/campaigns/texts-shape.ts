import type {
  CampaignStatus,
  Exclusion,
  PauseReason,
  RecipientStatus,
  WaitingFor,
} from '../../campaigns/rules.ts';

export interface CampaignTexts {
  readonly nav: string;
  readonly create: string;
  readonly edit: string;
  readonly none: string;
  readonly all: string;
  readonly columns: readonly [string, string, string, string];
  readonly statuses: Readonly<Record<CampaignStatus, string>>;
  readonly outcomes: Readonly<Record<RecipientStatus, string>>;
  readonly exclusions: Readonly<Record<Exclusion, string>>;
  /** Of somebody who was skipped while it was being sent. */
  readonly unreachable: string;
  readonly pauses: Readonly<Record<PauseReason, string>>;
  readonly filters: string;
  readonly name: string;
  readonly number: string;
  readonly audience: string;
  readonly audienceHint: string;
  readonly targets: {
    readonly segment: (name: string) => string;
    readonly groups: (names: string) => string;
    readonly pipeline: (name: string, stages: string) => string;
    readonly contacts: (count: string) => string;
  };
  /** For a record that is no longer there. */
  readonly gone: string;
  readonly kept: string;
  readonly chosen: string;
  readonly chosenLead: string;
  readonly text: string;
  readonly textHint: string;
  readonly pace: string;
  readonly perMinute: (count: string) => string;
  readonly save: string;
  readonly saved: string;
  readonly created: string;
  readonly nothingToSend: string;
  readonly preview: string;
  readonly previewLead: string;
  readonly gets: (count: string, total: string) => string;
  readonly goesTo: (count: string) => string;
  readonly ends: (when: string) => string;
  readonly endsIf: (begins: string, when: string) => string;
  readonly pausesAt: (when: string, left: string) => string;
  readonly beyondMonth: string;
  readonly reached: string;
  readonly leftOut: string;
  readonly firstLeftOut: string;
  readonly whom: readonly [string, string, string];
  readonly try: string;
  readonly tryLead: string;
  readonly phone: string;
  readonly movedOn: string;
  readonly tried: string;
  readonly schedule: string;
  readonly when: string;
  readonly whenHint: (timeZone: string) => string;
  readonly scheduled: string;
  readonly begins: string;
  readonly began: string;
  readonly endsAbout: string;
  readonly progress: string;
  readonly eligible: string;
  readonly sent: string;
  readonly delivered: string;
  readonly read: string;
  readonly failed: string;
  readonly unconfirmed: string;
  readonly skipped: string;
  readonly cancelled: string;
  readonly left: string;
  readonly replied: string;
  readonly optedOut: string;
  readonly pausedBecause: string;
  readonly waits: Readonly<Record<WaitingFor, (when: string) => string>>;
  readonly settling: string;
  readonly results: string;
  readonly recipients: string;
  readonly noRecipients: string;
  readonly csv: string;
  readonly proof: string;
  readonly again: Readonly<
    Record<'button' | 'lead' | 'whom' | 'twice' | 'repeats' | 'another' | 'without', string>
  >;
  readonly recipientColumns: readonly [string, string, string, string, string];
}
