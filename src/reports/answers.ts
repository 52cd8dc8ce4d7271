import type { Sql } from '../db/sql.ts';
import { answersIn, daysParams } from './measures.ts';
import type { ReportDay } from './period.ts';
import { OF_CONVERSATIONS, OF_DAYS } from './rows.ts';
import { questionOf, roundSeconds } from './rules.ts';

/** A row of `report_answer_days`: a question and how often it was asked, or (`question` `''`) the AI's seconds. */
export interface AnswerDay {
  readonly day: string;
  readonly number_id: string;
  readonly team_id: string;
  readonly member_id: string;
  readonly automation_id: string;
  readonly origin: string;
  readonly pipeline_ids: readonly string[];
  readonly question: string;
  readonly times: number;
  /** Rounded, without duplicates; `ai_times` has how often each occurred. A median needs no more. */
  readonly ai_seconds: readonly number[];
  readonly ai_times: readonly number[];
}

type Answered = Omit<AnswerDay, 'question' | 'times' | 'ai_seconds' | 'ai_times'> & {
  readonly text: string;
  readonly ai_seconds: number | null;
};

/** How many questions per kind of conversation are stored for a day, the most frequent ones. */
const MOST_QUESTIONS = 50;

/** What people asked automations on these days, masked and grouped, read from the messages themselves. */
export async function answersOn(
  sql: Sql,
  organizationId: string,
  days: readonly ReportDay[],
): Promise<AnswerDay[]> {
  if (days.length === 0) return [];
  const rows = await sql.rows<Answered>(ANSWERS_OF_DAYS, daysParams({ organizationId }, days));
  const kinds = Map.groupBy(rows, kindOf);
  return [...kinds.values()].flatMap(summarise);
}

const ANSWERS_OF_DAYS = answersIn(OF_DAYS);
const ANSWERS_OF_CONVERSATIONS = answersIn(OF_CONVERSATIONS);

/**
 * Takes what only the person of these conversations asked on a day out of the days that are written down: the words are
 * theirs. What others asked as well stays, as a count.
 */
export async function forgetAnswers(
  sql: Sql,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<void> {
  const asked = await sql.rows<Pick<Answered, 'number_id' | 'text'> & { readonly day: Date }>(
    ANSWERS_OF_CONVERSATIONS,
    [organizationId, conversationIds],
  );
  const questions = asked.flatMap(({ day, number_id, text }) => {
    const question = questionOf(text);
    return question === null ? [] : [{ at: day, number_id, question }];
  });
  if (questions.length > 0) await sql.rows(FORGET, [organizationId, JSON.stringify(questions)]);
}

/** A day is the one of its time zone when it was written down. */
const FORGET = `
delete from report_answer_days r
using (
  select d.day, q.number_id, q.question, count(*) as times
  from jsonb_to_recordset($2) as q (at timestamptz, number_id text, question text)
  join report_days d on d.organization_id = $1 and d.day between q.at::date - 1 and q.at::date + 1
    and d.day = (q.at at time zone d.time_zone)::date
  group by 1, 2, 3
) asked
where r.organization_id = $1 and r.day = asked.day and r.number_id = asked.number_id and r.question = asked.question
  and r.times <= asked.times`;

const kindOf = (row: Answered): string =>
  [
    row.day,
    row.number_id,
    row.team_id,
    row.member_id,
    row.automation_id,
    row.origin,
    ...row.pipeline_ids,
  ].join(' ');

function summarise(rows: readonly Answered[]): AnswerDay[] {
  const [sample] = rows;
  if (!sample) return [];
  const { text: _text, ai_seconds: _seconds, ...kind } = sample;
  const asked = new Map<string, number>();
  for (const { text } of rows) {
    const question = questionOf(text);
    if (question !== null) asked.set(question, (asked.get(question) ?? 0) + 1);
  }
  const questions = [...asked].sort((a, b) => b[1] - a[1]).slice(0, MOST_QUESTIONS);
  const took = new Map<number, number>();
  for (const { ai_seconds } of rows) {
    if (ai_seconds === null) continue;
    const seconds = roundSeconds(ai_seconds);
    took.set(seconds, (took.get(seconds) ?? 0) + 1);
  }
  const none = { ai_seconds: [], ai_times: [] };
  return [
    ...questions.map(([question, times]) => ({ ...kind, question, times, ...none })),
    ...(took.size > 0
      ? [
          {
            ...kind,
            question: '',
            times: 0,
            ai_seconds: [...took.keys()],
            ai_times: [...took.values()],
          },
        ]
      : []),
  ];
}
