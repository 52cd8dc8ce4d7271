import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, type Output } from '../output.ts';
import { type Api, ApiError } from './api.ts';
import { demoPeople } from './people.ts';
import type { Receiver } from './receiver.ts';

export interface DemoOptions {
  readonly numberId: string;
  readonly receiverUrl: string;
  /** Stops the receiver halfway and starts it again; nothing may be lost. */
  readonly interrupt: boolean;
  readonly timeoutMs: number;
}

export interface DemoResult {
  readonly campaign_id: string;
  readonly recipients: number;
  readonly delivered: number;
  readonly verified: number;
  readonly missing: readonly string[];
}

interface Campaign {
  readonly id: string;
  readonly status: string;
  readonly pause_reason: string | null;
  readonly results: Readonly<
    Record<'sent' | 'delivered' | 'read' | 'failed' | 'pending' | 'sending', number>
  >;
}

const ENDPOINT_NAME = 'wms demo';

/** Sends a campaign to forty people and checks that a signed `message.sent` arrives for each. */
export async function runDemo(
  api: Api,
  receiver: Receiver,
  output: Output,
  options: DemoOptions,
): Promise<DemoResult> {
  const contactIds = await importPeople(api, output);
  const endpointId = await subscribe(api, receiver, options.receiverUrl);
  output.progress(`endpoint ${endpointId} posts message.sent to ${options.receiverUrl}`);
  try {
    const campaign = await api.post<Campaign>('/v1/campaigns', {
      name: 'Demo: opening hours',
      number_id: options.numberId,
      target: 'contacts',
      contact_ids: contactIds,
      text: 'Hello {{first_name}}, we are open until 20:00 today.',
      pace: 600,
    });
    await api.post(`/v1/campaigns/${campaign.id}/send`);
    output.progress(`campaign ${campaign.id} is on its way to ${contactIds.length} people`);
    const watched = { campaignId: campaign.id, contactIds, ...options };
    const result = await watch(api, receiver, output, watched);
    if (isComplete(result)) await settled(api, endpointId);
    return result;
  } finally {
    await api.delete(`/v1/webhooks/${endpointId}`);
  }
}

const SETTLE_MS = 30_000;

/** What has just arrived is not written down yet; of an endpoint that is deleted at once it would never be. */
async function settled(api: Api, endpointId: string): Promise<void> {
  const open = ['pending', 'retrying'].map(
    (status) => `/v1/webhooks/${endpointId}/deliveries?limit=1&status=${status}`,
  );
  for (const end = Date.now() + SETTLE_MS; Date.now() < end; await sleep(250)) {
    const pages = await Promise.all(open.map((path) => api.get<{ data: unknown[] }>(path)));
    if (pages.every(({ data }) => data.length === 0)) return;
  }
}

async function importPeople(api: Api, output: Output): Promise<string[]> {
  const ids: string[] = [];
  for (const person of demoPeople) ids.push(await findOrCreate(api, person));
  output.progress(`${ids.length} contacts are in the workspace`);
  return ids;
}

/** A second demo meets the people of the first: the refusal contains their ids. */
async function findOrCreate(api: Api, person: (typeof demoPeople)[number]): Promise<string> {
  try {
    const contact = await api.post<{ id: string }>('/v1/contacts', person);
    return contact.id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'duplicate') {
      return (error.details as { contact_id: string }).contact_id;
    }
    throw error;
  }
}

async function subscribe(api: Api, receiver: Receiver, url: string): Promise<string> {
  const endpoints = await api.get<{ data: { id: string; name: string }[] }>(
    '/v1/webhooks?limit=100',
  );
  for (const old of endpoints.data.filter(({ name }) => name === ENDPOINT_NAME)) {
    await api.delete(`/v1/webhooks/${old.id}`);
  }
  const endpoint = await api.post<{ id: string; secret: string }>('/v1/webhooks', {
    name: ENDPOINT_NAME,
    url,
    events: ['message.sent'],
  });
  receiver.trust(endpoint.secret);
  return endpoint.id;
}

interface Watch extends DemoOptions {
  readonly campaignId: string;
  readonly contactIds: readonly string[];
}

async function watch(
  api: Api,
  receiver: Receiver,
  output: Output,
  options: Watch,
): Promise<DemoResult> {
  const total = options.contactIds.length;
  let mayInterrupt = options.interrupt;
  let said = '';
  for (const end = Date.now() + options.timeoutMs; ; await sleep(250)) {
    const campaign = await api.get<Campaign>(`/v1/campaigns/${options.campaignId}`);
    const result = tally(campaign, receiver, options.contactIds);
    const line = `${campaign.status}: delivered ${result.delivered}/${total}, verified ${result.verified}/${total}`;
    if (line !== said) output.progress(line);
    said = line;
    // Before anything else: on a slow machine all may have come since the last look.
    if (mayInterrupt && result.verified >= total / 4) {
      mayInterrupt = false;
      await interrupt(receiver, output);
      continue;
    }
    if (isComplete(result) || Date.now() > end) return result;
    refuseStopped(campaign);
  }
}

const isComplete = ({ recipients, delivered, verified }: DemoResult): boolean =>
  delivered === recipients && verified === recipients;

function refuseStopped({ id, status, pause_reason: reason }: Campaign): void {
  if (status === 'paused')
    throw new CommandError(
      `The campaign is paused (${reason}); nothing more is sent until it is resumed. When its cause is gone, resume it on ` +
        `its page of the console or with POST /api/v1/campaigns/${id}/resume, or run wms demo again.`,
    );
  if (status === 'cancelled')
    throw new CommandError('The campaign is cancelled; nothing more will be sent.');
}

async function interrupt(receiver: Receiver, output: Output): Promise<void> {
  await receiver.stop();
  output.progress('the receiver is stopped for 3 seconds; what fails is tried again after 30');
  await sleep(3_000);
  await receiver.start();
  output.progress('the receiver is back');
}

function tally(campaign: Campaign, receiver: Receiver, contactIds: readonly string[]): DemoResult {
  const arrived = new Set(
    [...receiver.received.values()]
      .filter((event) => event.verified)
      .map((event) => event.contactId),
  );
  return {
    campaign_id: campaign.id,
    recipients: contactIds.length,
    delivered: campaign.results.delivered + campaign.results.read,
    verified: contactIds.filter((id) => arrived.has(id)).length,
    missing: contactIds.filter((id) => !arrived.has(id)),
  };
}
