import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import type { Random } from './random.ts';

/** A person as the plain evaluation sees them; times are ISO 8601. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly phone: string | null;
  readonly phoneKey: string | null;
  readonly email: string | null;
  readonly language: string | null;
  readonly optedOut: boolean;
  readonly tags: readonly string[];
  readonly ownerId: string | null;
  readonly origin: string;
  readonly createdAt: string;
  readonly lastInboundAt: string | null;
  readonly birthDate: string | null;
  readonly birthYearKnown: boolean;
  readonly custom: Readonly<Record<string, unknown>>;
  readonly conversations: readonly {
    readonly numberId: string;
    readonly teamId: string | null;
    readonly status: string;
    readonly windowExpiresAt: string | null;
  }[];
  readonly deals: readonly {
    readonly stage: number;
    readonly status: string;
    readonly valueCents: number | null;
  }[];
  readonly campaigns: readonly { readonly campaignId: string; readonly replied: boolean }[];
}

/** What people can be connected with. */
export interface World {
  readonly numbers: readonly string[];
  /** The one of them without a 24-hour window. */
  readonly windowless: string;
  readonly teams: readonly string[];
  readonly members: readonly string[];
  readonly pipelineId: string;
  readonly stages: readonly string[];
  readonly campaigns: readonly string[];
}

export const NAMES = ['Ana', 'ANA MARIA', 'Ênio', 'ênio', '100%', 'a_b', "O'Neill", '', 'Zoë'];
export const TAGS = ['VIP', 'vip', 'Novo', 'são joão', "x'); drop table contacts; --"];
export const CUSTOM_VALUES = [
  ...['Recife', 'recife', '42', '-7.5', '2026-11-23', '2024-02-29', '2026-02-31', 'true', ''],
  ...[42, 0, 7.25, 1 / 3, true, false, null, ['Recife', 'Olinda'], []],
];
const DAYS = ['1990-11-21', '1988-02-29', '1904-11-28', '2000-12-31', '2001-01-01', '1970-03-01'];
const PHONES = ['+5511987654321', '+551187654321', '+5521998877665', '+12025550143'];

const DAY_MS = 86_400_000;

function around(random: Random, now: Date, days: number): string {
  const offset = (random.below(2 * days * 24) - days * 24) * 3_600_000;
  return new Date(now.getTime() + offset).toISOString();
}

const inOneMinute = (now: Date): string => new Date(now.getTime() + 60_000).toISOString();

export function aPerson(random: Random, world: World, now: Date, n: number): Person {
  const birthDate = random.chance(0.7) ? random.pick(DAYS) : null;
  const phone = random.chance(0.8) ? `+55119${String(80_000_000 + n)}` : null;
  const maybe = <T>(value: T): T | null => (random.chance(0.5) ? value : null);
  const custom = Object.fromEntries(
    random.some(['a', 'b'], 2).map((key) => [key, random.pick(CUSTOM_VALUES)]),
  );
  return {
    id: newId('con'),
    name: random.pick(NAMES),
    phone,
    phoneKey: phone && `+5511${phone.slice(6)}`,
    email: maybe(random.pick(['ana@example.com', 'BIA@Example.com'])),
    language: maybe(random.pick(['pt-BR', 'en'])),
    optedOut: random.chance(0.2),
    tags: random.some(TAGS, 3),
    ownerId: maybe(random.pick(world.members)),
    origin: random.pick(['direct', 'form', 'import', 'campaign', 'team']),
    createdAt: around(random, new Date(now.getTime() - 60 * DAY_MS), 60),
    lastInboundAt: maybe(around(random, now, 20)),
    birthDate,
    birthYearKnown: !birthDate?.startsWith('1904'),
    custom,
    conversations: random.some(world.numbers, 2).map((numberId) => ({
      numberId,
      teamId: maybe(random.pick(world.teams)),
      status: random.pick(['open', 'closed']),
      windowExpiresAt: maybe(random.pick([around(random, now, 1), inOneMinute(now)])),
    })),
    deals: random.some([0, 1, 2], 2).map((stage) => ({
      stage,
      status: ['open', 'won', 'lost'][stage] ?? 'open',
      valueCents: maybe(random.pick([0, 100, 5_000])),
    })),
    campaigns: random
      .some(world.campaigns, 2)
      .map((campaignId) => ({ campaignId, replied: random.chance(0.5) })),
  };
}

export const phonesToAskFor = (people: readonly Person[]): string[] => [
  ...PHONES,
  ...people.slice(0, 3).flatMap(({ phone }) => phone ?? []),
];

/** Writes the people down, with everything that they are connected with. */
export const save = (ctx: Context, world: World, people: readonly Person[]): Promise<void> =>
  transact(ctx, async (tx) => {
    const own = tx.organizationId;
    for (const p of people) {
      await tx.sql.rows(
        `insert into contacts (organization_id, id, name, phone, phone_key, email, language, opted_out, tags, owner_id,
           origin, created_via, created_at, updated_at, last_inbound_at, birth_date, birth_year_known, custom)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'api', $12, $12, $13, $14, $15, $16)`,
        [
          ...[own, p.id, p.name, p.phone, p.phoneKey, p.email, p.language, p.optedOut, p.tags],
          ...[p.ownerId, p.origin, p.createdAt, p.lastInboundAt, p.birthDate, p.birthYearKnown],
          JSON.stringify(p.custom),
        ],
      );
      for (const { numberId, teamId, status, windowExpiresAt } of p.conversations)
        await tx.sql.rows(
          `insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, status,
             window_expires_at, opened_at, created_at) values ($1, $2, $3, $4, $5, $6, $7, now(), now())`,
          [own, newId('cnv'), numberId, p.id, teamId, status, windowExpiresAt],
        );
      for (const { stage, status, valueCents } of p.deals)
        await tx.sql.rows(
          `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, title, value_cents, status,
             stage_entered_at, created_at, updated_at) values ($1, $2, $3, $4, $5, '', $6, $7, now(), now(), now())`,
          [own, newId('dea'), world.pipelineId, world.stages[stage], p.id, valueCents, status],
        );
      for (const { campaignId, replied } of p.campaigns)
        await tx.sql.rows(
          `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status, replied_at)
           values ($1, $2, $3, $3, $4, '', '', 'sent', case when $5::boolean then now() end)`,
          [own, campaignId, newId('rcp'), p.id, replied],
        );
    }
  });
