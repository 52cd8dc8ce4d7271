import type { DealRow, PipelineRow } from './queries.ts';
import type { DealView, PipelineView } from './schema.ts';

export const presentPipeline = (row: PipelineRow): PipelineView => ({
  ...row,
  created_at: row.created_at.toISOString(),
});

export const presentDeal = ({ number_id: _, ...row }: DealRow): DealView => ({
  ...row,
  stage_entered_at: row.stage_entered_at.toISOString(),
  closed_at: row.closed_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
