import type { ChaosStage } from '../support/stage.ts';

/** Webhooks by path and id, each with how many times something was hurt while it was in flight. */
export type Doubts = ReadonlyMap<string, number>;

const LEASED = `
select e.url, d.event_id as "eventId" from webhook_deliveries d
join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
where d.lease_token is not null and starts_with(e.url, $1)`;

/** Those that a process has taken, or attempted and not written down yet; none while the database is away. */
export async function leased(stage: ChaosStage): Promise<string[]> {
  const rows = await stage
    .rows<{ url: string; eventId: string }>(LEASED, [stage.receiver.origin])
    .catch(() => []);
  return rows.map(({ url, eventId }) => `${new URL(url).pathname} ${eventId}`);
}

/** Those whose request arrived since then: a database that is killed forgets who took them last. */
export const requestedSince = ({ receiver }: ChaosStage, since: number): string[] =>
  receiver.receipts
    .filter(({ t }) => t >= since)
    .map(({ path, webhookId }) => `${path} ${webhookId}`);
