import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { Rules } from '../segments/rules.ts';
import type { CampaignStatus, CampaignTarget, PauseReason, WaitingFor } from './rules.ts';

/** A bulk send. `pace` is messages per minute, null for none; recipients are SQL only (`queries.ts`). */
export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    status: p.text().$type<CampaignStatus>(),
    numberId: p.text().nullable(),
    target: p.text().$type<CampaignTarget>(),
    segmentId: p.text().nullable(),
    /** The segment's rules when the audience began to be written down. */
    segmentRules: p.json<Rules>().nullable(),
    contactIds: p.array(),
    groupIds: p.array(),
    pipelineId: p.text().nullable(),
    stageIds: p.array(),
    text: p.text(),
    sendAt: p.datetime().nullable(),
    pace: p.integer().nullable(),
    pauseReason: p.text().$type<PauseReason>().nullable(),
    waitingUntil: p.datetime().nullable(),
    waitingFor: p.text().$type<WaitingFor>().nullable(),
    retryOf: p.text().nullable(),
    createdBy: p.json<{ type: string; id: string | null; name: string }>(),
    total: p.integer(),
    excluded: p.json<Record<string, number>>(),
    /** How many recipients the start deducted from the plan's month; null if a list's length tells. */
    expected: p.integer().nullable(),
    frozenAt: p.datetime().nullable(),
    frozenThrough: p.text().nullable(),
    startedAt: p.datetime().nullable(),
    /** When it last began or resumed; the error rate looks no further back. */
    runningSince: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    /** Paused or cancelled while sends were under way that may have no outcome yet. */
    unsettled: p.boolean(),
    /** How often its number got a daily limit since it began: what a batch read before holds no more. */
    limitsRevision: p.integer(),
    /** Whether, and for whom by the order of ids, what it said to each is kept no longer. */
    wordsDropped: p.boolean(),
    wordsDroppedThrough: p.text(),
  },
});

export type Campaign = InferEntity<typeof Campaign>;
