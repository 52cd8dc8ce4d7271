import { createAutomation } from '../../automations/service.ts';
import { activateAutomation } from '../../automations/transitions.ts';
import { createCampaign } from '../../campaigns/service.ts';
import { importContacts } from '../../contacts/imports/rows.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { createForm, publishForm } from '../../forms/service.ts';
import { addMember } from '../../members/service.ts';
import { addTeam } from '../../members/teams.ts';
import { updateNumber } from '../../numbers/changing.ts';
import { createPipeline } from '../../pipelines/managing.ts';
import { createDeal } from '../../pipelines/service.ts';
import { createReminder } from '../../reminders/service.ts';
import { createSegment, newSegmentOf } from '../../segments/service.ts';
import { PAST_CAMPAIGNS, type Recipient, recall } from './campaigns.ts';
import { gathered, ran, remembered, submitted } from './past.ts';
import { CUSTOMERS } from './people.ts';
import { STORIES, tell } from './talk.ts';
import { ORDER_FORM, ORDERS, reminders, SEGMENTS, STAGES, WELCOME } from './wares.ts';

export interface Furnishing {
  /** A context of the workspace at the given time. */
  readonly at: (time: Date) => Context;
  readonly now: Date;
  readonly numbers: { readonly shop: string; readonly delivery: string };
  readonly password: string;
  readonly baseUrl: string;
}

interface Team {
  readonly teamId: string;
  readonly member: { readonly id: string; readonly name: string };
}

/** Fills the workspace so that every list and report has something to show, through the use cases where possible. */
export async function furnish(furnishing: Furnishing): Promise<void> {
  const { at, now, numbers, baseUrl } = furnishing;
  const early = at(new Date(now.getTime() - 45 * DAY_MS));
  const teams = await staff(early, furnishing);
  const stages = await arrange(early, numbers, teams);
  const contactIds = (await importContacts(early, CUSTOMERS)).flatMap(
    ({ contactId }) => contactId ?? [],
  );
  const automation = await automate(early);
  const conversations = await transact(at(now), (tx) =>
    talk(tx, furnishing, { contactIds, teams, automation }),
  );
  await transact(at(now), async (tx) => {
    const people = recipients(contactIds, conversations);
    for (const campaign of PAST_CAMPAIGNS) await recall(tx, campaign, numbers.shop, people);
    await remembered(tx);
  });
  await sell(furnishing, contactIds, stages, teams);
  const formId = await invite(early, baseUrl);
  await transact(at(now), async (tx) => {
    await submitted(tx, formId, contactIds);
    await ran(tx, automation.id, contactIds);
    await gathered(tx, numbers.delivery);
  });
  await plan(at(now), numbers.shop, contactIds);
}

async function staff(
  ctx: Context,
  { password }: Furnishing,
): Promise<{ sales: Team; delivery: Team }> {
  const hire = async (name: string, email: string, team: string): Promise<Team> => {
    const { id: teamId } = await addTeam(ctx, team);
    const person = {
      name,
      email,
      role: 'agent',
      visibility: 'teams',
      teams: [team],
      password,
    } as const;
    const member = await addMember(ctx, person);
    return { teamId, member: { id: member.id, name } };
  };
  const sales = await hire('Bruno Tavares', 'bruno@example.com', 'Vendas');
  const delivery = await hire('Carla Nogueira', 'carla@example.com', 'Entregas');
  await addMember(ctx, {
    name: 'Davi Moreira',
    email: 'davi@example.com',
    role: 'viewer',
    password,
  });
  return { sales, delivery };
}

type Teams = Awaited<ReturnType<typeof staff>>;

async function arrange(
  ctx: Context,
  numbers: Furnishing['numbers'],
  { sales, delivery }: Teams,
): Promise<string[]> {
  const { stages } = await createPipeline(ctx, { name: 'Encomendas', stages: [...STAGES] });
  await updateNumber(ctx, numbers.shop, {
    team_ids: [sales.teamId, delivery.teamId],
    default_team_id: sales.teamId,
    stage_id: stages[0]?.id,
  });
  await updateNumber(ctx, numbers.delivery, {
    team_ids: [delivery.teamId],
    default_team_id: delivery.teamId,
  });
  return stages.map(({ id }) => id);
}

async function automate(ctx: Context): Promise<{ id: string; name: string }> {
  const { id, name } = await createAutomation(ctx, WELCOME, { trustedOrigins: [] });
  await activateAutomation(ctx, id);
  return { id, name };
}

interface Cast {
  readonly contactIds: readonly string[];
  readonly teams: Teams;
  readonly automation: { readonly id: string; readonly name: string };
}

async function talk(
  tx: Context,
  { now, numbers }: Furnishing,
  { contactIds, teams: { sales, delivery }, automation }: Cast,
): Promise<Map<string, string>> {
  const ofTheShop = new Map<string, string>();
  for (const [n, story] of STORIES.entries()) {
    const contactId = contactIds[n] ?? '';
    const begin = new Date(now.getTime() - story.daysAgo * DAY_MS - story.hour * 600_000 - HOUR_MS);
    const shop = n % 3 !== 2;
    const team = shop ? sales : delivery;
    const numberId = shop ? numbers.shop : numbers.delivery;
    const id = await tell(tx, story, begin, { numberId, contactId, automation, ...team });
    if (shop) ofTheShop.set(contactId, id);
  }
  return ofTheShop;
}

const recipients = (
  contactIds: readonly string[],
  conversations: ReadonlyMap<string, string>,
): Recipient[] =>
  contactIds.map((contactId, n) => ({
    contactId,
    name: CUSTOMERS[n]?.name ?? '',
    phone: CUSTOMERS[n]?.phone ?? '',
    conversationId: conversations.get(contactId) ?? null,
  }));

async function sell(
  { at, now }: Furnishing,
  contactIds: readonly string[],
  stages: readonly string[],
  { sales }: Teams,
): Promise<void> {
  for (let n = 0; n < 14; n++) {
    const stageId = stages[n % stages.length];
    if (!stageId) return;
    await createDeal(at(new Date(now.getTime() - (30 - n * 2) * DAY_MS)), {
      contact_id: contactIds[n * 2] ?? '',
      stage_id: stageId,
      title: ORDERS[n % ORDERS.length],
      value_cents: 12_000 + ((n * 7_919) % 60) * 1_000,
      currency: 'BRL',
      owner_id: sales.member.id,
    });
  }
}

async function invite(ctx: Context, baseUrl: string): Promise<string> {
  const { id } = await createForm(ctx, ORDER_FORM);
  await publishForm(ctx, id, baseUrl);
  return id;
}

async function plan(ctx: Context, numberId: string, contactIds: readonly string[]): Promise<void> {
  for (const [name, rules] of SEGMENTS) await createSegment(ctx, newSegmentOf({ name, rules }));
  for (const reminder of reminders(numberId, contactIds[2] ?? ''))
    await createReminder(ctx, reminder);
  await createCampaign(ctx, {
    name: 'Natal na padaria',
    number_id: numberId,
    target: 'contacts',
    segment_id: null,
    contact_ids: contactIds.slice(0, 20),
    group_ids: [],
    text: 'Oi {{first_name}}! As encomendas de Natal já começaram.',
    when: null,
    pace: 60,
  });
}
