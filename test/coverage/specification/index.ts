import type { Section } from '../lines.ts';
import { agentTools } from './agent-tools.ts';
import { bodies } from './bodies.ts';
import { calls } from './calls.ts';
import { completing } from './completing.ts';
import { consoleLines } from './console.ts';
import { decisions } from './decisions.ts';
import { endpoints } from './endpoints.ts';
import { errors } from './errors.ts';
import { limits } from './limits.ts';
import { oauth } from './oauth.ts';
import { oauthChecklist } from './oauth-checklist.ts';
import { ourStates } from './our-states.ts';
import { records } from './records.ts';
import { securityCredentials } from './security-credentials.ts';
import { securityData } from './security-data.ts';
import { securityHttp } from './security-http.ts';
import { signingIn } from './signing-in.ts';
import { states } from './states.ts';
import { tokens } from './tokens.ts';
import { webhooks } from './webhooks.ts';

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
  completing,
  ourStates,
  decisions,
  agentTools,
  consoleLines,
  securityCredentials,
  securityHttp,
  securityData,
];
