import type { ISSUE_CODES, SEVERITIES } from '../../automations/issues/issues.ts';
import type { Overview } from '../../automations/overview.ts';
import type {
  AUTOMATION_STATUSES,
  IN_PROGRESS,
  RUN_ERRORS,
  RUN_STATUSES,
} from '../../automations/rules.ts';

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
  readonly issuesKeep: (count: number) => string;
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
  /** To those who see less than the workspace. */
  readonly activateUnseen: string;
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
