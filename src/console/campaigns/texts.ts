import type {
  CampaignStatus,
  Exclusion,
  PauseReason,
  RecipientStatus,
  WaitingFor,
} from '../../campaigns/rules.ts';
import type { Dictionary } from '../../pages/language.ts';
import { CAMPAIGNS_PT } from './texts-pt.ts';

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

export const CAMPAIGNS: Dictionary<CampaignTexts> = {
  en: {
    nav: 'Campaigns',
    create: 'Write a campaign',
    edit: 'Change it',
    none: 'No campaign here.',
    all: 'all',
    columns: ['Name', 'Status', 'Begins', 'Written'],
    statuses: {
      draft: 'draft',
      scheduled: 'scheduled',
      sending: 'sending',
      paused: 'paused',
      done: 'done',
      cancelled: 'cancelled',
    },
    outcomes: {
      pending: 'waiting',
      sending: 'being sent',
      sent: 'sent',
      delivered: 'delivered',
      read: 'read',
      failed: 'failed',
      skipped: 'left out',
      unconfirmed: 'not confirmed',
      cancelled: 'cancelled',
    },
    exclusions: {
      opted_out: 'opted out',
      no_phone: 'has no phone',
      invalid_phone: 'the phone is not valid',
      duplicate: 'gets it already',
      blocked: 'blocked',
      no_whatsapp: 'is not on WhatsApp',
      out_of_window: 'the 24 hours are over',
      missing_variable: 'a variable is empty',
      frequency_cap: 'had enough campaigns lately',
      left_group: 'the number left the group',
    },
    unreachable:
      'not there any more: deleted, merged, blocked, with another phone, or a group that was left',
    pauses: {
      member: 'Somebody paused it.',
      missed_schedule: 'Its time passed while it could not begin.',
      number_unavailable: 'The number is not connected.',
      spam_limit: 'WhatsApp limits the number because of complaints.',
      error_rate: 'Too many messages failed.',
      opt_out_rate: 'Too many people opted out.',
      daily_limit: 'The limit of the day is reached.',
      quota: 'The limit of the plan is reached.',
      template_paused: 'WhatsApp paused the template.',
    },
    filters: 'Status',
    name: 'Name',
    number: 'Sent by',
    audience: 'To whom',
    audienceHint:
      'A segment of contacts, the people with an open deal in a pipeline, a WhatsApp group, or contacts that you choose.',
    targets: {
      segment: (name) => `Segment: ${name}`,
      groups: (names) => `Groups: ${names}`,
      pipeline: (name, stages) => `Pipeline: ${name}${stages && ` (${stages})`}`,
      contacts: (count) => `${count} contacts`,
    },
    gone: 'deleted',
    kept: 'As it is',
    chosen: 'Single contacts',
    chosenLead: 'Search, tick, search on: who is ticked stays.',
    text: 'Message',
    textHint:
      'Variables: {{name}}, {{first_name}}, {{custom.<key>}}; for groups only {{name}}. In {{name|friend}}, what follows the bar stands where it is empty.',
    pace: 'Pace',
    perMinute: (count) => `${count} a minute`,
    save: 'Save the draft',
    saved: 'The draft is saved.',
    created: 'The draft is saved. Nothing is sent yet.',
    nothingToSend: 'A campaign needs a connected number. Connect one first.',
    preview: 'Preview',
    previewLead: 'Nothing was sent.',
    gets: (count, total) => `${count} of ${total} get it`,
    goesTo: (count) => `It goes at once and for real to everybody whom it reaches now: ${count}.`,
    ends: (when) => `The last one leaves about ${when}.`,
    endsIf: (begins, when) => `If it begins on ${begins}, the last one leaves about ${when}.`,
    pausesAt: (when, left) => `It pauses at the limit of the day on ${when}, with ${left} left.`,
    beyondMonth: 'It cannot begin: it has more recipients than the plan’s month has left.',
    reached: 'The first who get it',
    leftOut: 'Who does not get it, and why',
    firstLeftOut: 'The first of them',
    whom: ['Name', 'Phone', 'Message'],
    try: 'Send a test',
    tryLead: 'To one contact, for real; it is no part of the results.',
    phone: 'Phone, with country code',
    tried: 'The test is on its way.',
    schedule: 'Schedule it',
    when: 'Date and time',
    whenHint: (timeZone) => `In the time of ${timeZone}.`,
    scheduled: 'It is scheduled.',
    begins: 'Begins',
    began: 'Began',
    endsAbout: 'The last one leaves about',
    progress: 'Progress',
    eligible: 'Audience',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    failed: 'Failed',
    unconfirmed: 'Not confirmed',
    skipped: 'Left out',
    cancelled: 'Cancelled',
    left: 'Left',
    replied: 'Replied',
    optedOut: 'Opted out',
    pausedBecause: 'It stands still.',
    waits: {
      quiet_hours: (when) => `These are quiet hours. It waits until ${when}.`,
      warm_up: (when) =>
        `The number has written to as many new people today as it may. It waits until ${when}, and goes on with as many as it may then.`,
    },
    settling: 'The last sends are being settled. Its proof is here in a moment.',
    results: 'Result',
    recipients: 'Recipients',
    noRecipients: 'Nobody here.',
    csv: 'All of them as a CSV file',
    proof: 'Proof, as a file',
    again: {
      button: 'Send again',
      lead: 'Makes a new draft for those whom it did not reach. Nothing is sent by it; this campaign and its results stay.',
      whom: 'To whom',
      twice: 'WhatsApp never said whether they got it: they may get it twice.',
      repeats: 'Sends again',
      another: 'another campaign',
      without: 'whoever got that one gets nothing from this one, whatever it says',
    },
    recipientColumns: ['Name', 'Phone', 'Result', 'Reason', 'When'],
  },
  'pt-BR': CAMPAIGNS_PT,
};
