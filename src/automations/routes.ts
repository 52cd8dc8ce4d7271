import { list, type Route, read, write } from '../http/route.ts';
import {
  exampleAutomation,
  exampleDetail,
  exampleDraft,
  exampleRun,
  exampleRunDetail,
  exampleSimulation,
} from './examples.ts';
import { guideView, readGuide } from './guide.ts';
import { issuesWithoutAi } from './issues/issues.ts';
import { getAutomation, getRun, listAutomations, listRuns } from './reading.ts';
import { cancelRun } from './runs.ts';
import {
  type AutomationDetail,
  automationDetail,
  automationFilters,
  automationPatch,
  automationView,
  deactivateBody,
  newAutomation,
  runDetail,
  runFilters,
  runView,
} from './schema.ts';
import { type AutomationParts, createAutomation, updateAutomation } from './service.ts';
import { simulationBody, simulationView } from './simulation/schema.ts';
import { simulateAutomation } from './simulation/simulate.ts';
import { activateAutomation, deactivateAutomation } from './transitions.ts';

const shared = { tag: 'Automations' } as const;
/** A route whose path names one automation. */
const ofOne = { ...shared, id: 'atm' } as const;
const ofRun = { ...shared, id: 'run' } as const;
const active = { ...exampleDetail, status: 'active', version: 1, unpublished_edits: false };

/** Missing features of this installation are not part of the draft, so they are added to the answer. */
const warned = ({ ai }: AutomationParts, detail: AutomationDetail): AutomationDetail =>
  ai === false ? { ...detail, issues: [...detail.issues, ...issuesWithoutAi(detail)] } : detail;

/** Drafts are made by people, in the console or through an app (specification, API keys). */
const drafting = (parts: AutomationParts): readonly Route[] => [
  write({
    ...shared,
    method: 'POST',
    path: '/v1/automations',
    operationId: 'create_automation',
    summary: 'Create a draft automation. It does nothing until it is activated.',
    scope: 'automations:write',
    apiKeys: false,
    status: 201,
    body: newAutomation,
    reply: automationDetail,
    errors: ['duplicate'],
    example: { request: exampleDraft, response: exampleDetail },
    handle: async (ctx, { body }) => warned(parts, await createAutomation(ctx, body, parts)),
  }),
  write({
    ...ofOne,
    method: 'PATCH',
    path: '/v1/automations/:id',
    operationId: 'update_automation',
    summary:
      'Change the draft. Fields that are left out stay; new runs follow it after the next activation.',
    scope: 'automations:write',
    status: 200,
    body: automationPatch,
    reply: automationDetail,
    errors: ['duplicate'],
    example: { request: { steps: exampleDraft.steps }, response: exampleDetail },
    handle: async (ctx, { id, body }) =>
      warned(parts, await updateAutomation(ctx, id, body, parts)),
  }),
];

const guide = read({
  ...shared,
  path: '/v1/automation-guide',
  operationId: 'get_automation_guide',
  summary: 'Read how automations are written: triggers, entry, steps, conditions and simulations.',
  scope: 'automations:read',
  reply: guideView,
  example: { response: { text: '# Automations' } },
  handle: readGuide,
});

const using = (parts: AutomationParts): readonly Route[] => [
  list({
    ...shared,
    path: '/v1/automations',
    operationId: 'list_automations',
    summary: 'List automations, newest first.',
    scope: 'automations:read',
    query: automationFilters,
    item: automationView,
    example: { response: exampleAutomation },
    handle: (ctx, { query, page }) => listAutomations(ctx, query, page),
  }),
  read({
    ...ofOne,
    path: '/v1/automations/:id',
    operationId: 'get_automation',
    summary: 'Read an automation with its draft and the issues of the draft.',
    scope: 'automations:read',
    reply: automationDetail,
    example: { response: exampleDetail },
    handle: async (ctx, { id }) => warned(parts, await getAutomation(ctx, id)),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/automations/:id/activate',
    operationId: 'activate_automation',
    summary: 'Publish the draft and activate the automation.',
    scope: 'automations:write',
    status: 200,
    reply: automationDetail,
    errors: ['invalid_definition', 'quota'],
    example: { response: active },
    handle: async (ctx, { id }) => warned(parts, await activateAutomation(ctx, id)),
  }),
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/automations/:id/deactivate',
    operationId: 'deactivate_automation',
    summary: 'Start no new run. Runs in progress are finished, or cancelled.',
    scope: 'automations:write',
    status: 200,
    body: deactivateBody,
    reply: automationDetail,
    errors: ['invalid_state'],
    example: {
      request: { in_progress: 'finish' },
      response: { ...active, status: 'inactive' },
    },
    handle: async (ctx, { id, body }) =>
      warned(parts, await deactivateAutomation(ctx, id, body.in_progress)),
  }),
];

/** It reads the draft and changes nothing, so anyone who may read it may ask. */
const trying: readonly Route[] = [
  write({
    ...ofOne,
    method: 'POST',
    path: '/v1/automations/:id/simulate',
    operationId: 'simulate_automation',
    summary:
      'Simulate the draft with an invented person in virtual time. Nothing is sent or stored.',
    scope: 'automations:read',
    status: 200,
    body: simulationBody,
    reply: simulationView,
    errors: ['invalid_definition', 'unknown_number'],
    example: exampleSimulation,
    handle: (ctx, { id, body }) => simulateAutomation(ctx, id, body),
  }),
];

const runs: readonly Route[] = [
  list({
    ...ofOne,
    path: '/v1/automations/:id/runs',
    operationId: 'list_automation_runs',
    summary: 'List the runs of an automation, newest first.',
    scope: 'automations:read',
    query: runFilters,
    item: runView,
    example: { response: exampleRun },
    handle: (ctx, { id, query, page }) => listRuns(ctx, id, query, page),
  }),
  read({
    ...ofRun,
    path: '/v1/runs/:id',
    operationId: 'get_run',
    summary: 'Read a run with its steps.',
    scope: 'automations:read',
    reply: runDetail,
    example: { response: exampleRunDetail },
    handle: (ctx, { id }) => getRun(ctx, id),
  }),
  write({
    ...ofRun,
    method: 'POST',
    path: '/v1/runs/:id/cancel',
    operationId: 'cancel_run',
    summary: 'End a run in progress.',
    scope: 'automations:write',
    status: 200,
    reply: runDetail,
    errors: ['invalid_state'],
    example: { response: { ...exampleRunDetail, status: 'cancelled' } },
    handle: (ctx, { id }) => cancelRun(ctx, id),
  }),
];

/** What answers and follows up by itself (design decisions §9). */
export const automationRoutes = (parts: AutomationParts): readonly Route[] => [
  guide,
  ...drafting(parts),
  ...using(parts),
  ...trying,
  ...runs,
];
