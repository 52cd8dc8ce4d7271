import { type Route, read } from '../http/route.ts';
import { automationReport } from './automation.ts';
import { numbersReport } from './numbers.ts';
import { automationReportView, numbersReportView, reportQuery } from './schema.ts';

const frame = {
  workspace: 'org_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  range: {
    from: '2026-11-20',
    to: '2026-11-21',
    days: 2,
    previous: { from: '2026-11-18', to: '2026-11-19' },
  },
  now: '2026-11-21T12:00:00.000Z',
  time_zone: 'America/Sao_Paulo',
};

const reasons = { no_whatsapp: 11, no_recipient: 2, throttled: 5, out_of_window: 2 };

export const reportRoutes: readonly Route[] = [
  read({
    path: '/v1/reports/automation',
    operationId: 'get_automation_report',
    summary: 'Report on what automations did',
    tag: 'Reports',
    scope: 'automations:read',
    query: reportQuery,
    reply: automationReportView,
    example: {
      response: {
        ...frame,
        count: 214,
        without_agent: 150,
        ai_replies: 90,
        handed_over: 31,
        ai_seconds: 2.4,
        saved: { minutes: 963, per_message: 1.5, measured: false },
        days: [
          { day: '2026-11-20', automated: 340, team: 120 },
          { day: '2026-11-21', automated: 302, team: 98 },
        ],
        automations: [
          {
            id: 'atm_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
            name: 'Boas-vindas',
            runs: 210,
            succeeded: 160,
            failed: 4,
            done: 199,
          },
        ],
        questions: [{ text: 'qual o horario de funcionamento', count: 17 }],
        previous: {
          count: 190,
          without_agent: 120,
          ai_replies: 70,
          handed_over: 35,
          ai_seconds: 2.9,
          saved_minutes: 811.5,
        },
      },
    },
    handle: (ctx, { query }) => automationReport(ctx, query),
  }),
  read({
    path: '/v1/reports/numbers',
    operationId: 'get_numbers_report',
    summary: 'Report on what was sent, delivered and lost',
    tag: 'Reports',
    scope: 'numbers:read',
    query: reportQuery,
    reply: numbersReportView,
    example: {
      response: {
        ...frame,
        attempted: 1200,
        delivered: 1150,
        lost: 22,
        reasons,
        numbers: [
          {
            id: 'num_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
            name: 'Vendas',
            status: 'connected',
            disconnected_at: null,
            attempted: 1200,
            delivered: 1150,
            days: [600, 550],
          },
        ],
        days: ['2026-11-20', '2026-11-21'],
        previous: { attempted: 900, delivered: 870, lost: 9, reasons },
      },
    },
    handle: (ctx, { query }) => numbersReport(ctx, query),
  }),
];
