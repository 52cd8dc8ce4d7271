import { by, type Line, line } from '../../lines.ts';

const engine = (file: string, ...tests: string[]) => by(`automations/engine/${file}`, ...tests);
const triggers = (file: string, ...tests: string[]) => by(`automations/triggers/${file}`, ...tests);
const running = (file: string, ...tests: string[]) => by(`automations/running/${file}`, ...tests);

/** §9: how a run takes its steps, waits and ends, and what each step does. */
export const automationRuns: readonly Line[] = [
  line(
    '§9 Each step once, whichever process takes it; a run goes on after a restart and after a wait of months',
    engine('steps', 'are each taken once, however many take them at a time'),
    engine(
      'time',
      'goes on at its moment, and everything it does is done once',
      'goes on when the worker was restarted meanwhile',
    ),
    engine('lost', 'a run whose steps nobody takes, as its process died'),
  ),
  line(
    '§9 `wait`, `wait_until`, `wait_for_reply`: until a time, a condition or an answer, with their timeouts',
    running(
      'flow',
      'goes on when its time is over, not before',
      'looks again until it is so',
      'goes another way after its time, unless it has come true by then',
    ),
    running(
      'asking',
      'takes whatever the person writes, and saves it',
      'goes another way when nobody answers in time',
    ),
  ),
  line(
    '§9 One run waits for a reply in a conversation; a newer one takes over only with a higher priority',
    engine(
      'replies',
      'go to one run of a conversation: a later one listens in its place only when it is more important',
      'are heard in their order and each once, even when three come at one moment',
    ),
  ),
  line(
    '§9 Loop guard: never by its own chain, depth 5, 100 steps and 20 messages without a person, `loop_detected`',
    triggers('entry', 'starts no run by its own chain, and none deeper than five'),
    engine('steps', 'end in failure after 100 between two messages of a person'),
    running('talking', 'stops at the 21st automated message of a conversation within an hour'),
  ),
  line(
    '§9 Handover: a person who answers ends the runs of the conversation, and automations stay silent there',
    engine('ending', 'when a person takes the conversation over'),
    triggers(
      'entry',
      'is silent where a person answers, until the conversation is closed, unless it says otherwise',
    ),
    running(
      'handing-over',
      'gives the conversation to a team, waiting, and ends the run as handed over',
    ),
  ),
  line(
    '§9 Deactivating: `finish` lets runs end by themselves, `cancel` stops each at its next safe point',
    engine(
      'ending',
      'finishes its runs, or ends them all, also those it was to finish',
      'waits for nobody who takes a step: that run ends when the step is done',
    ),
  ),
  line(
    '§9 A run lasts at most 400 days: `timeout`; a failure is told once',
    engine('time', 'ends in failure after 400 days, where it stands, and tells so once'),
    engine('steps', 'that fail end the run and tell so once, whoever finds it'),
  ),
  line(
    '§9 Error codes `out_of_window`, `number_unavailable` and `send_failed` of what a run says',
    running(
      'talking',
      'says nothing outside the window, which ends two minutes early',
      'waits an hour at most for its number, looking again',
    ),
    running(
      'losing',
      'fails it also when WhatsApp reports it later, and never when a delivery has healed it',
    ),
  ),
  line(
    '§9 `set_field`, `add_tag`, `remove_tag`, as the automation and with the step',
    running(
      'doing',
      'writes %s = %j',
      'adds a tag once, whatever its case and the blanks around it',
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
