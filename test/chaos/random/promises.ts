import { setTimeout as sleep } from 'node:timers/promises';
import { verifyChain } from '../../../src/audit/verify.ts';
import { transact } from '../../../src/db/transact.ts';
import { attemptsOf, everythingTold, type Finding, sentOnce } from '../support/findings.ts';
import { nothingOpen, remains, sumsHold } from '../support/invariants.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Answered } from './client.ts';
import type { Evidence } from './evidence.ts';
import { remindedOnce } from './reminders.ts';
import { saidOnce } from './runs.ts';

export interface Verdict extends Finding {
  readonly id: string;
  readonly promise: string;
  readonly holds: boolean;
}

type Look = (evidence: Evidence) => Promise<Finding>;
/** Its id, in words, and how it is looked at. */
export type Pledge = readonly [string, string, Look];

const REPEATED = 100;

/**
 * Each promise of docs/testing.md, the runs of automations, the reminders, and that nothing falls over by itself.
 *
 * @param further promises of a play that has more in it.
 */
export async function judge(
  evidence: Evidence,
  further: readonly Pledge[] = [],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [id, promise, look] of [...PROMISES, ...further]) {
    const finding = await look(evidence).catch((error: Error) => ({
      figures: {},
      broken: { failed: [error.message] },
    }));
    const holds = Object.values(finding.broken).every((found) => found.length === 0);
    verdicts.push({ id, promise, holds, ...finding });
  }
  return verdicts;
}

const told: Look = async ({ stage, client, load }) => {
  const { lost, told: events } = await everythingTold(stage);
  const contacts = await stage.rows<{ id: string }>('select id from contacts');
  const messages = await stage.rows<{ id: string }>(
    `select provider_id as id from messages where direction = 'inbound'`,
  );
  const kept = new Set([...contacts, ...messages].map(({ id }) => id));
  const written = await load.crowd.written();
  const made = client.answered.filter(({ path }) => path === '/contacts').map(idOf);
  return {
    figures: { events, acknowledged: made.length, written: written.length },
    broken: { lost, forgotten: [...made, ...written].filter((id) => !kept.has(id)) },
  };
};

const nothingElse: Look = async ({ stage }) => {
  const { phantoms, twoEvents } = await everythingTold(stage);
  return { figures: {}, broken: { phantoms, twoEvents } };
};

const repeats: Look = async ({ stage, doubtful }) => {
  const { requests, beyond, unmade, unanswered } = await attemptsOf(stage);
  const more = [...beyond.values()];
  const figures = {
    requests,
    beyond: more.reduce((sum, n) => sum + n, 0),
    mostOfOne: Math.max(0, ...more),
    inFlightAtKills: doubtful.size,
    ...unanswered,
  };
  return {
    figures,
    broken: {
      unmade,
      ours: unanswered['internal'] ? [unanswered] : [],
      tooOften: [...beyond]
        .filter(([id, n]) => n > (doubtful.get(id) ?? 0))
        .map(([id, n]) => [id, n, ...timesOf(stage, id)]),
    },
  };
};

/** When a webhook was requested, to be held against the report's log. */
const timesOf = ({ receiver }: ChaosStage, id: string): string[] =>
  receiver.receipts
    .filter(({ path, webhookId }) => `${path} ${webhookId}` === id)
    .map(({ t }) => new Date(t).toISOString());

const once: Look = ({ stage }) => sentOnce(stage);

const settled: Look = async ({ stage, crew, load, inFlight }) => {
  const [api] = crew.apis();
  if (!api) throw new TypeError('no API is up');
  const figures: Record<string, number> = { campaigns: load.campaigns.length };
  for (const id of load.campaigns) {
    const { status, results } = await sumsHold(stage, api, id);
    figures[status] = (figures[status] ?? 0) + 1;
    for (const each of ['sent', 'delivered', 'read', 'failed', 'skipped', 'unconfirmed'])
      figures[each] = (figures[each] ?? 0) + (results[each] ?? 0);
  }
  const [row] = await stage.rows<{ n: number }>(
    `select count(*)::int as n from messages where status = 'unconfirmed'`,
  );
  const unconfirmed = row?.n ?? 0;
  const open = await stage.rows(
    `select id, status from messages where direction = 'outbound' and status in ('queued', 'sending')`,
  );
  return {
    figures: { ...figures, unconfirmedMessages: unconfirmed, inFlightAtKills: inFlight },
    broken: {
      open,
      tooManyUnconfirmed: unconfirmed > inFlight ? [unconfirmed] : [],
      notDone: (figures['done'] ?? 0) < load.campaigns.length ? [figures] : [],
    },
  };
};

const numbered: Look = async ({ stage }) => ({
  figures: {},
  broken: { gaps: (await attemptsOf(stage)).gaps },
});

const drained: Look = async ({ stage }) => {
  const left = await remains(stage);
  await nothingOpen(stage);
  return { figures: left, broken: { left: Object.entries(left).filter(([, n]) => n > 0) } };
};

const signed: Look = async ({ stage }) => {
  const { unsigned, unlike, requests } = await attemptsOf(stage);
  return { figures: { requests }, broken: { unsigned, unlike } };
};

/** Some of the calls are made once more: each is answered as it was. */
const idempotent: Look = async ({ stage, crew, client }) => {
  const { answered, odd } = client;
  const again = answered.filter(({ asked }) => asked > 1);
  const chosen = [...again.slice(0, REPEATED), ...answered.slice(-REPEATED)];
  const unlike: unknown[] = [];
  for (const [n, one] of chosen.entries()) {
    const apis = crew.apis();
    const api = apis[n % apis.length];
    if (!api) throw new TypeError('no API is up');
    const { path, body, status, text, idempotencyKey, apiKey: key } = one;
    const options = { idempotencyKey, key, ...(body === undefined ? {} : { body }) };
    let reply = await stage.call(api, 'POST', path, options);
    while (reply.status === 429) {
      await sleep(1_000);
      reply = await stage.call(api, 'POST', path, options);
    }
    if (reply.status !== status || reply.text !== text)
      unlike.push([one, reply.status, reply.text]);
  }
  const named = await stage.rows('select name from campaigns group by name having count(*) > 1');
  return {
    figures: { answered: answered.length, askedAgain: again.length, repeated: chosen.length },
    broken: { unlike, odd, twice: named },
  };
};

const ACTIONS: [RegExp, string][] = [
  [/^\/contacts$/, 'contact.created'],
  [/^\/campaigns$/, 'campaign.created'],
  [/\/send$/, 'campaign.sent'],
  [/^\/reminders$/, 'reminder.created'],
  [/^\/deals$/, 'deal.created'],
];

const logged: Look = async ({ stage, client }) => {
  const rows = await stage.rows<{ what: string; n: number }>(
    `select action || ' ' || (target ->> 'id') as what, count(*)::int as n from audit_entries group by 1`,
  );
  const entries = new Map(rows.map(({ what, n }) => [what, n]));
  const whats = client.answered.map((one) => {
    const action = ACTIONS.find(([path]) => path.test(one.path))?.[1];
    return `${action} ${idOf(one)}`;
  });
  const chain = await transact(stage.ctx, verifyChain);
  return {
    figures: { changes: whats.length, entries: chain.entries },
    broken: {
      notOnce: whats.filter((what) => entries.get(what) !== 1),
      chain: chain.brokenAt === null ? [] : [chain.brokenAt],
    },
  };
};

const idOf = ({ text }: Answered): string => String((JSON.parse(text) as { id: string }).id);

const standing: Look = async ({ crew }) => ({
  figures: { failedStarts: crew.failedStarts() },
  broken: { endedAlone: crew.endedAlone },
});

const PROMISES: readonly Pledge[] = [
  ['I1', 'Each thing that happened is kept, and told to each endpoint', told],
  ['I2', 'Nothing else is told, and nothing as two events', nothingElse],
  ['I3', 'A webhook is requested once more only if it was in flight at a kill', repeats],
  ['I4', 'Nobody is sent the same twice; whoever is sent got it', once],
  ['I5', 'Every recipient is settled, or unconfirmed as it was in flight at a kill', settled],
  ['I6', 'At most 12 attempts, numbered without gaps', numbered],
  ['I7', 'No fact, lease or workflow is left over', drained],
  ['I8', 'Every request is signed, and an event has the same bytes each time', signed],
  ['I9', 'One effect for each Idempotency-Key, and the same answer again', idempotent],
  ['I10', 'One audit entry for each change that was answered', logged],
  ['runs', 'Each run of an automation ends, and says each thing exactly once', saidOnce],
  [
    'days',
    'Each reminder has one run, and each of its people one message',
    ({ stage, load }) => remindedOnce(stage, load.reminders),
  ],
  ['alone', 'No process ends that nobody hurt', standing],
];
