import type { MatchingRow, SegmentRow } from './queries.ts';
import type { MatchingView, SegmentView } from './schema.ts';

export const presentSegment = (row: SegmentRow): SegmentView => ({
  id: row.id,
  name: row.name,
  rules: { ...row.rules },
  count: row.count,
  counted_at: row.counted_at?.toISOString() ?? null,
  used_by: row.used_by,
  status: row.status,
  created_at: row.created_at.toISOString(),
});

export const presentMatching = (row: MatchingRow): MatchingView => ({
  id: row.id,
  name: row.name,
  phone: row.phone ?? '',
  email: row.email ?? '',
  opted_out: row.opted_out,
  created_at: row.created_at.toISOString(),
});
