import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callTool, openToolDoor, toolClient } from '../support/agent-tools.ts';
import type { OpenDoor } from '../support/http.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

it('schedules a draft for the time it was given, and takes that back', async () => {
  const client = await toolClient(door, ours.token);
  const { tools } = await client.listTools();
  await client.close();
  const said = (name: string): string => JSON.stringify(tools.find((tool) => tool.name === name));
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const made = await callTool(door, ours.token, 'create_campaign', {
    name: 'Amanhã',
    number_id: ours.ids.num,
    target: 'contacts',
    text: 'Oi',
    pace: 10,
    contact_ids: [ours.ids.con],
    when: soon,
  });
  const one = { campaign_id: made.body.id };

  const scheduled = await callTool(door, ours.token, 'schedule_campaign', one);
  const back = await callTool(door, ours.token, 'unschedule_campaign', one);

  expect(scheduled.body).toMatchObject({ status: 'scheduled', send_at: soon });
  expect(back.body).toMatchObject({ status: 'draft', send_at: soon });
  expect(said('create_campaign')).toMatch(/"when":.*time zone of the workspace.*"pace":/);
  expect(said('send_campaign')).toContain('`when`');
});
