import type { Section } from '../lines.ts';
import { agentTools } from './agent-tools.ts';
import { bodies } from './bodies.ts';
import { calls } from './calls.ts';
import { consoleLines } from './console.ts';
import { addedEndpoints } from './decisions/endpoints/section.ts';
import { decisions } from './decisions/section.ts';
import { decisionStates } from './decisions/states.ts';
import { endpoints } from './endpoints.ts';
import { errors } from './errors/section.ts';
import { limits } from './limits.ts';
import { oauthChecklist } from './oauth/checklist.ts';
import { oauth } from './oauth/server.ts';
import { signingIn } from './oauth/signing-in.ts';
import { tokens } from './oauth/tokens.ts';
import { records } from './records.ts';
import { securityData } from './security/addresses-and-data.ts';
import { securityCredentials } from './security/credentials.ts';
import { securityHttp } from './security/http.ts';
import { states } from './states.ts';
import { webhooks } from './webhooks/section.ts';

/** The specification first, then what the design decisions add. */
export const sections: readonly Section[] = [
  endpoints,
  calls,
  records,
  bodies,
  limits,
  states,
  errors,
  tokens,
  oauth,
  oauthChecklist,
  signingIn,
  webhooks,
  addedEndpoints,
  decisionStates,
  decisions,
  agentTools,
  consoleLines,
  securityCredentials,
  securityHttp,
  securityData,
];
