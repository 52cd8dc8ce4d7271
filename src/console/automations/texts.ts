import type { ISSUE_CODES, SEVERITIES } from '../../automations/issues/issues.ts';
import type { Overview } from '../../automations/overview.ts';
import type {
  AUTOMATION_STATUSES,
  IN_PROGRESS,
  RUN_ERRORS,
  RUN_STATUSES,
} from '../../automations/rules.ts';
import type { Dictionary } from '../../pages/language.ts';
import { AUTOMATIONS_PT } from './texts-pt.ts';

type RunStatus = (typeof RUN_STATUSES)[number];

interface Choice {
  readonly label: string;
  readonly hint: string;
}

export interface AutomationTexts {
  readonly nav: string;
  readonly lead: string;
  readonly create: string;
  readonly none: string;
  readonly all: string;
  readonly status: string;
  readonly statuses: Readonly<Record<(typeof AUTOMATION_STATUSES)[number], string>>;
  readonly edited: string;
  readonly columns: readonly [string, string, string, string, string, string];
  /** `automation`: of a run that another one began by `start_automation`. */
  readonly triggers: Readonly<Record<Overview['trigger'] | 'automation', string>>;
  readonly name: string;
  readonly description: string;
  readonly definition: string;
  readonly definitionHint: string;
  readonly guide: string;
  readonly starter: string;
  readonly save: string;
  readonly created: string;
  readonly saved: string;
  readonly noObject: string;
  readonly misfits: (count: number) => string;
  readonly check: string;
  readonly checkLead: string;
  readonly fine: string;
  readonly issues: Readonly<Record<(typeof ISSUE_CODES)[number], string>> | null;
  readonly severities: Readonly<Record<(typeof SEVERITIES)[number], string>>;
  readonly startsBy: string;
  readonly version: string;
  readonly noVersion: string;
  readonly versionNote: (version: string) => string;
  readonly versions: string;
  readonly versionColumns: readonly [string, string, string];
  readonly versionOf: (version: string) => string;
  readonly current: string;
  readonly published: string;
  readonly restore: string;
  readonly restoreLead: string;
  readonly restored: string;
  readonly open: string;
  readonly updated: string;
  readonly dropped: string;
  readonly droppedBy: Readonly<Record<string, string>>;
  readonly activate: string;
  readonly activateLead: string;
  readonly publish: string;
  readonly publishLead: (version: string) => string;
  readonly activated: (version: string) => string;
  readonly deactivate: string;
  readonly inProgress: (open: string) => string;
  readonly choices: Readonly<Record<(typeof IN_PROGRESS)[number], Choice>>;
  readonly deactivated: string;
  readonly endRuns: string;
  readonly endRunsLead: string;
  readonly ended: string;
  readonly simulate: string;
  readonly runs: string;
  readonly run: string;
  readonly noRuns: string;
  readonly runColumns: readonly [string, string, string, string, string, string];
  readonly runStatuses: Readonly<Record<RunStatus, string>>;
  readonly failures: Readonly<Record<(typeof RUN_ERRORS)[number], string>>;
  readonly gone: string;
  readonly until: (time: string) => string;
  readonly began: string;
  readonly finished: string;
  readonly waits: string;
  readonly contact: string;
  readonly conversation: string;
  readonly toConversation: string;
  readonly failed: string;
  readonly cause: string;
  readonly steps: string;
  readonly noSteps: string;
  readonly stepColumns: readonly [string, string, string, string, string, string];
  readonly output: string;
  readonly cancel: string;
  readonly cancelLead: string;
  readonly cancelled: string;
}

export const AUTOMATIONS: Dictionary<AutomationTexts> = {
  en: {
    nav: 'Automations',
    lead: 'What answers and follows up by itself. A draft does nothing before it is activated.',
    create: 'Write an automation',
    none: 'No automation here.',
    all: 'all',
    status: 'Status',
    statuses: { draft: 'draft', active: 'active', inactive: 'off' },
    edited: 'changes not published',
    columns: ['Name', 'Status', 'Starts when', 'Version', 'In progress', 'Last run'],
    triggers: {
      message_received: 'a message arrives',
      first_message: 'somebody writes for the first time',
      conversation_opened: 'a conversation opens',
      conversation_closed: 'a conversation is closed',
      no_reply: 'nobody answered',
      contact_created: 'a contact is created',
      tag_added: 'a tag is added',
      field_changed: 'a field changes',
      stage_changed: 'a deal changes stage',
      form_submitted: 'a form is sent in',
      campaign_replied: 'somebody answers a campaign',
      segment_entered: 'a contact enters a segment',
      segment_left: 'a contact leaves a segment',
      date_field: 'a date of the contact comes',
      schedule: 'the clock says so',
      manual: 'somebody starts it',
      automation: 'another automation starts it',
    },
    name: 'Name',
    description: 'Description',
    definition: 'Definition',
    definitionHint: 'As JSON: trigger, entry (who is let in) and steps.',
    guide: 'How to write it',
    starter: 'Hello {{first_name|there}}! What can we do for you?',
    save: 'Save the draft',
    created: 'The draft is saved. It does nothing before you activate it.',
    saved: 'The draft is saved. New runs follow it after the next activation.',
    noObject: 'Write a JSON object with trigger, entry and steps.',
    misfits: (count) =>
      count === 1
        ? 'One place does not fit. Nothing was saved.'
        : `${count} places do not fit. Nothing was saved.`,
    check: 'Check',
    checkLead: 'Of the draft as it was last saved.',
    fine: 'Nothing to complain about.',
    issues: null,
    severities: { error: 'error', warning: 'warning' },
    startsBy: 'Starts when',
    version: 'Version',
    noVersion: 'not published yet',
    versionNote: (version) => `${version}; runs stay on the one they began with`,
    versions: 'Versions',
    versionColumns: ['Version', 'Published', 'Status'],
    versionOf: (version) => `Version ${version}`,
    current: 'current',
    published: 'Published',
    restore: 'Make it the draft again',
    restoreLead:
      'What the draft says now is replaced. Nothing changes for anybody before you publish it.',
    restored: 'The draft says again what this version says.',
    open: 'Runs in progress',
    updated: 'Changed',
    dropped: 'Started no run, because',
    droppedBy: {
      active_run: 'the contact had a run already',
      reentry: 'the contact was in it before',
      conditions: 'the conditions did not hold',
      handled_by_member: 'a person was answering',
      blocked: 'the contact is blocked',
      opted_out: 'the contact wants no messages',
      own_chain: 'the automation had caused it itself',
      too_deep: 'too many automations had caused each other',
      missed: 'its time had passed',
      segment_too_heavy: 'the segment is too heavy',
      inactive: 'it had been turned off',
    },
    activate: 'Activate',
    activateLead: 'The draft is published, and from then on its trigger starts runs.',
    publish: 'Publish the changes',
    publishLead: (version) =>
      `New runs follow version ${version}. Those in progress stay on theirs.`,
    activated: (version) => `It is on, with version ${version}.`,
    deactivate: 'Turn off',
    inProgress: (open) => `No new run starts. What becomes of those in progress (${open})?`,
    choices: {
      finish: {
        label: 'They finish',
        hint: 'They go on to their end, waits included, and go on sending until then.',
      },
      cancel: {
        label: 'They are cancelled',
        hint: 'Each stops at its next safe point. What is being sent at this moment is still sent.',
      },
    },
    deactivated: 'It is off. No new run starts.',
    endRuns: 'Cancel what is in progress',
    endRunsLead: 'It is off, and some runs still finish. They stop, each at its next safe point.',
    ended: 'The runs in progress are cancelled.',
    simulate: 'Try it',
    runs: 'Runs',
    run: 'Run',
    noRuns: 'No run here.',
    runColumns: ['Began', 'Contact', 'Status', 'Step', 'Until, or ended', 'Version'],
    runStatuses: {
      running: 'running',
      waiting: 'waiting',
      succeeded: 'succeeded',
      failed: 'failed',
      cancelled: 'cancelled',
      handed_over: 'handed over',
    },
    failures: {
      send_failed: 'a message could not be sent',
      out_of_window: 'the 24-hour window was closed',
      number_unavailable: 'the number was not available',
      http_failed: 'another server did not answer as it should',
      ai_failed: 'the AI did not answer',
      invalid_answer: 'the answer did not fit',
      loop_detected: 'it went round in circles',
      definition_error: 'the definition does not fit what is there',
      timeout: 'it took too long',
    },
    gone: 'deleted',
    until: (time) => `until ${time}`,
    began: 'Began',
    finished: 'Ended',
    waits: 'Waits',
    contact: 'Contact',
    conversation: 'Conversation',
    toConversation: 'Open',
    failed: 'Why it failed',
    cause: 'Because of a run of',
    steps: 'Steps',
    noSteps: 'No step yet.',
    stepColumns: ['Step', 'Type', 'Status', 'Began', 'Ended', 'Result'],
    output: 'Result',
    cancel: 'Cancel the run',
    cancelLead: 'It stops where it stands. What it has sent stays sent.',
    cancelled: 'The run is cancelled.',
  },
  'pt-BR': AUTOMATIONS_PT,
};
