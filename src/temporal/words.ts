/**
 * What operators read about a workflow in the Temporal UI, as options of its start. A run that goes on in a new one keeps
 * only its memo, from which the new one takes them (`workflows/stages.ts`).
 *
 * @param summary one line, without a full stop
 */
export const wordsOf = (summary: string, details = '') => ({
  staticSummary: summary,
  ...(details ? { staticDetails: details } : {}),
  memo: { about: `**${summary}.** ${details}`.trim() },
});
