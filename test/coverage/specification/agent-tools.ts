import { by, line, type Section } from '../lines.ts';

const tools = (...tests: string[]) => by('agent-tools/every-tool', ...tests);
const door = (...tests: string[]) => by('agent-tools/door', ...tests);

export const agentTools: Section = {
  title: 'Agent tools',
  source: 'Specification, Overview: the second protected resource, whose interface is not shown',
  lines: [
    line(
      'The agent tool server at `/api/mcp` accepts OAuth tokens issued for it, and no others',
      by(
        'agent-tools/signing-in',
        'an agent finds the server, registers, is let in by a person, calls tools and renews its token',
        'a token of the agent tools opens nothing of the API, and one of the API no tool',
        'a disconnected agent is shut out at its next call',
      ),
      door(
        'is told that the token is not valid, whatever it is: an API key, a console session, an unknown one',
      ),
    ),
    line(
      'A tool needs the scope, the permission and the visibility of the operation it calls',
      tools(
        'is closed to a token without its scope, whatever else it has, and does nothing',
        'asks an %s for the permission',
        "%s answers another workspace's record like one that never was",
      ),
      by('agent-tools/calling', 'shows a member what they see and nothing else'),
    ),
    line(
      'A call of a tool that changed something is in the audit log, with the app and the person',
      by(
        'agent-tools/calling',
        'writes an entry with the app and the person for each call that changed something, and for no other',
      ),
    ),
  ],
};
