/** What deliveries are set to: each as a lane leaves it. */
export const FAILED = `status = 'failed', attempts = 12, round_attempts = 12, error = 'status', code = 500,
  first_attempt_at = now() - interval '18 hours', finished_at = now()`;
export const BLOCKED = `status = 'blocked', attempts = 1, round_attempts = 1, error = 'dns', first_attempt_at = now(), finished_at = now()`;
export const RETRYING = `status = 'retrying', attempts = 2, round_attempts = 2, error = 'timeout', owned_by_workflow = true,
  first_attempt_at = now(), next_attempt_at = now() + interval '1 minute'`;
export const SUCCEEDED = `status = 'succeeded', attempts = 1, round_attempts = 1, code = 200, first_attempt_at = now(), finished_at = now()`;

/** Where a delivery stands, and whether it has a budget that nothing was taken of. */
export interface Stored {
  readonly status: string;
  readonly round: number;
  readonly budget: number;
  readonly clean: boolean;
  readonly due: boolean;
  readonly parked: boolean;
}

export const STORED = `
  select status, round, round_attempts as budget, lease_until <= now() as due, in_backlog as parked,
    first_attempt_at is null and next_attempt_at is null and finished_at is null and lease_token is null
      and not owned_by_workflow as clean
  from webhook_deliveries where endpoint_id = $1 order by id`;

/** Sent again, and due in the lane. */
export const AGAIN = {
  status: 'pending',
  round: 2,
  budget: 0,
  clean: true,
  due: true,
  parked: false,
};
