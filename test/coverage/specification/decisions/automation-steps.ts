import { by, type Line, line } from '../../lines.ts';

const running = (file: string, ...tests: string[]) => by(`automations/running/${file}`, ...tests);

/** §9: what the steps do that change something or ask somebody else. */
export const automationSteps: readonly Line[] = [
  line(
    '§9 `set_field`, `add_tag`, `remove_tag`, as the automation and with the step',
    running(
      'doing',
      'writes %s = %j',
      'adds a tag once, whatever its case',
      'takes a tag away in any case, and is written down as the automation',
      'leaves nothing of a step whose transaction is undone',
    ),
  ),
  line(
    '§9 `create_deal`, `move_stage`: one open deal for each contact and pipeline',
    running(
      'doing',
      'begins one in the first stage of the pipeline, or in the stage named',
      'goes on with the open deal that there is',
      'moves the open deal of the pipeline, and goes on where there is none',
    ),
  ),
  line(
    '§9 `assign`, `close_conversation`',
    running(
      'handing-on',
      'gives it to a team and a member, and the run goes on',
      'closes it, and is content with one that is closed',
    ),
  ),
  line(
    '§9 `create_reminder`, `start_automation`: depth and cause, never its own chain',
    running(
      'handing-on',
      'makes a reminder of the contact, in the words of the contact',
      'is due after %s at %s in %s',
      'starts another automation once, as caused by this one',
      'starts none that is off, and never its own again',
    ),
  ),
  line(
    '§9 `http_request`: the address rules of webhooks, one key for each step, `http_failed`',
    running(
      'calling',
      'sends what its author wrote, filled in for the person, with a key of its own',
      'never reaches %s',
      'takes its way for errors after %j',
      'fails the run where its author gave no such way, and tells it once',
      'is asked again, with the same key, by whoever comes after a process that died',
    ),
  ),
  line(
    '§9 `ai_reply`: turns, goal, handover, `ai_failed`',
    running(
      'ai',
      'says one message for each answer until the goal is reached',
      'ends with its turns, without waiting for more',
      'goes on with the steps for it',
      'without such steps ends, and people have the conversation',
      'fails the run when the model does, and tells it once',
      'fails with a clear word where no AI is configured',
    ),
    by(
      'automations/without-ai',
      'warns of steps for an AI where none is configured, and lets them be activated',
    ),
  ),
  line(
    '§9 Error codes `definition_error` and `invalid_answer` of these steps',
    running(
      'doing',
      'names the stage that is gone',
      'is an error of the definition where its author wrote what does not fit',
      'is refused for what a person said that does not fit, and changes nothing',
    ),
  ),
  line(
    '§16 `stage.changed` and `conversation.closed` name the automation',
    running('doing', 'moves the open deal of the pipeline, and goes on where there is none'),
    running('handing-on', 'closes it, and is content with one that is closed'),
  ),
];
