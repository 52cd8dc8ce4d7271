import { HOUR_MS } from '../../durations.ts';

/** A list in the Temporal UI worth saving as a view. */
export interface View {
  readonly name: string;
  readonly shows: string;
  /** In Temporal's list filter; null if the page is not a list of workflows. */
  readonly query: string | null;
  readonly url: string;
}

interface Where {
  readonly uiUrl: string;
  readonly namespace: string;
  readonly workspace: string | null;
  readonly now: Date;
}

const LATE_MS = 10 * 60_000;
const RUNNING = 'ExecutionStatus = "Running"';

/**
 * Where an operator looks first. The filter knows no relative times, so times are absolute: print the links anew for
 * a current list.
 */
export function views({ uiUrl, namespace, workspace, now }: Where): View[] {
  const base = `${uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}`;
  const at = (offsetMs: number): string => new Date(now.getTime() + offsetMs).toISOString();
  const within = workspace === null ? '' : ` AND WmsWorkspaceId = "${workspace}"`;
  const list = (name: string, shows: string, filter: string): View => {
    const query = `${filter}${within}`;
    return { name, shows, query, url: `${base}/workflows?query=${encodeURIComponent(query)}` };
  };
  return [
    list('everything that runs', 'all workflows under way', RUNNING),
    list(
      'failing deliveries',
      'webhooks that are tried again',
      `WorkflowType = "deliverWebhook" AND ${RUNNING}`,
    ),
    list('backlogs', 'endpoints with a backlog', `WorkflowType = "drainEndpoint" AND ${RUNNING}`),
    list(
      'campaigns',
      'campaigns that are scheduled, sending or paused',
      `WorkflowType = "sendCampaign" AND ${RUNNING}`,
    ),
    list('due soon', 'what happens within the hour', `WmsNextAt < "${at(HOUR_MS)}" AND ${RUNNING}`),
    list(
      'stuck',
      'what should have happened ten minutes ago',
      `WmsNextAt < "${at(-LATE_MS)}" AND ${RUNNING}`,
    ),
    list(
      'ended by force',
      'terminated, failed or timed out: wms ops explain says whether the rows are right',
      'ExecutionStatus IN ("Terminated", "Failed", "TimedOut")',
    ),
    {
      name: 'schedules',
      shows: 'what runs by the clock',
      query: null,
      url: `${base}/schedules`,
    },
  ];
}
