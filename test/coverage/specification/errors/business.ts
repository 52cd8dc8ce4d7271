import { by, failure, type Line } from '../../lines.ts';

const door = (test: string) => by('http/door', test);

/** The codes from 422 on. */
export const businessErrors: readonly Line[] = [
  failure(
    'validation',
    422,
    'well formed and not valid: each place and rule',
    by(
      'http/every-route',
      'answers any value in any field with success or a documented refusal',
      'names each field that is missing',
      'names a field it does not have',
    ),
    by('security/http-json', 'is answered with every place and rule at once'),
  ),
  failure(
    'form_without_identity',
    422,
    'a form that cannot know who answers',
    by('forms/drafting', 'must know who answers: by a required phone, or a personal link'),
  ),
  failure(
    'idempotency_mismatch',
    422,
    'the same key with another request',
    by(
      'security/idempotency',
      'is refused when the key was used for another body, route, id, query or method',
    ),
  ),
  failure(
    'invalid_definition',
    422,
    'an automation with errors is activated',
    by(
      'automations/activation',
      'refuses a draft with errors, names them all, and leaves it a draft',
    ),
  ),
  failure(
    'member_not_in_team',
    422,
    'a transfer to a member of another team',
    by('conversations/transfer', 'refuses a team that is not there, and a member of another one'),
  ),
  failure(
    'opted_out',
    422,
    'a key writes to whoever wants no messages',
    by('conversations/sending', 'lets a person, but no API key, write to a contact who opted out'),
    by(
      'campaigns/trials',
      'goes to nobody who opted out or is blocked, to nobody outside the window, and never with an incomplete text',
    ),
  ),
  failure(
    'out_of_window',
    422,
    'free text outside the 24 hours, before anything is queued',
    by(
      'conversations/sending',
      'is refused outside the window before anything is queued, unless it is a template',
    ),
  ),
  failure(
    'pace_not_allowed',
    422,
    'above the plan’s pace, or not of this number',
    by('campaigns/creating', 'refuses a pace above the plan’s, and says which are allowed'),
    by(
      'campaigns/audience/targets',
      'are a segment, with its estimate, or groups at the pace of ten',
    ),
  ),
  failure(
    'segment_too_heavy',
    422,
    'rules that take over five seconds',
    by(
      'segments/heavy',
      'end after five seconds as segment_too_heavy, and the transaction around them goes on',
    ),
  ),
  failure(
    'team_not_in_number',
    422,
    'a default team outside the number’s teams',
    by(
      'numbers/changing',
      'is refused with its own code: %s',
      'is taking its default team away from a number',
    ),
  ),
  failure(
    'unknown_automation',
    422,
    'a form names none that exists',
    by('forms/drafting', 'names an automation that exists, in any case, and refuses another'),
  ),
  failure(
    'unknown_contact',
    422,
    'an id in a body',
    by('campaigns/creating', 'refuses the whole call when one contact is unknown, and names it'),
    by('conversations/sending', 'sending a message to somebody › is refused with %s'),
  ),
  failure(
    'unknown_conversation',
    422,
    'an id in a body',
    by('pipelines/creating-deals', 'refuses what it does not know: %s, and changes nothing'),
  ),
  failure(
    'unknown_group',
    422,
    'an id in a body',
    by(
      'campaigns/audience/targets',
      'are nothing of another workspace, and no group of another number',
    ),
    by('reminders/creating', 'refuses what it does not know: %s'),
  ),
  failure(
    'unknown_media',
    422,
    'an id in a body',
    by(
      'conversations/sending',
      'refuses a file that is not there, and an approved list that lacks the template',
    ),
  ),
  failure(
    'unknown_number',
    422,
    'an id in a body',
    by('campaigns/creating', 'knows no number and no contact of another workspace'),
    by('security/visibility', '%s refuses what is out of sight in %s like what never was'),
  ),
  failure(
    'unknown_member',
    422,
    'an id in a body',
    by('contacts/creating', 'treats a member of another workspace as unknown'),
  ),
  failure(
    'unknown_segment',
    422,
    'an id in a body',
    by(
      'campaigns/audience/targets',
      'are nothing of another workspace, and no group of another number',
    ),
  ),
  failure(
    'unknown_stage',
    422,
    'an id in a body',
    by('numbers/changing', 'is refused with its own code: %s'),
    by('pipelines/moving-deals', 'stays within the pipeline'),
  ),
  failure(
    'unknown_team',
    422,
    'an id in a body',
    by('conversations/transfer', 'refuses a team that is not there, and a member of another one'),
    by('numbers/changing', 'is refused with its own code: %s'),
  ),
  failure(
    'rate_limited',
    429,
    'over 600 a minute, with `Retry-After`',
    by('security/rate-limit', 'says in every answer what is left, and when more will be'),
  ),
  failure('headers_too_large', 431, 'over 16 KiB', by('security/http-wire', 'is too large: %s')),
  failure(
    'internal',
    500,
    'our fault, without its details',
    door('keeps what a secret detail of ours was to itself, and undoes what had begun'),
  ),
  failure(
    'not_implemented',
    501,
    'a method that nothing has',
    by(
      'security/http-wire',
      'is not implemented when nothing has it, and is never overridden by a header',
    ),
  ),
  failure(
    'unavailable',
    503,
    'the database is away, with `Retry-After`',
    by(
      'http/operations',
      'is 503 with a time to come back, and calls succeed again once it answers',
    ),
  ),
];
