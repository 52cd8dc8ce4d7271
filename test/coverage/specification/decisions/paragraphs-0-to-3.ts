import { by, type Line, line } from '../../lines.ts';

/** Lists and texts, messages, pipelines, forms. */
export const paragraphs0To3: readonly Line[] = [
  line(
    '§0 A cursor is opaque, bound to its list, filters and workspace; nothing repeats or is skipped while rows come and go',
    by('http/cursors', 'is refused by another workspace, with other filters and at another list'),
    by(
      'http/paging',
      'shows everything that stays exactly once, newest first, while rows come and go (seed %i)',
    ),
  ),
  line(
    '§0 Empty strings where the specification has no null',
    by(
      'segments/segments-api',
      'lists who matches now, newest first, with "" where there is nothing, and a cursor that is stable',
    ),
    by(
      'conversations/conversations-api',
      'lists the messages of one conversation, newest first, all fields present',
    ),
  ),
  line(
    '§0 Unknown body fields are refused: `unknown_field`',
    by('http/every-route', 'names a field it does not have'),
  ),
  line(
    '§0 Lengths count Unicode code points',
    by('security/every-text', 'counts characters, not their halves: %s'),
    by('http/limits', '%s takes a %s of %i and of %i, and nothing longer'),
  ),
  line(
    '§0 A name or a text of blanks only is refused as empty; a field with several mistakes is named once',
    by(
      'http/words',
      'of %s are refused as its %s when they are blanks only',
      'of %s is named once: %s',
    ),
  ),
  line(
    '§1 Messages typed on the handset or the companion app, echoed to us: the source `phone`',
    by(
      'inbound/echoes',
      'stands in the conversation as ours, sent from the phone, and tells so',
      'is one message and one event, however often WhatsApp tells of it',
      'begins a conversation, and makes an unknown person a contact of the team',
      'hands over the automations that talk there',
    ),
  ),
  line(
    '§1 Text 1 to 4096; `client_ref` is unique for 30 days: a repeat answers the first message with 200',
    by(
      'conversations/sending',
      'takes 4,096 characters, however many bytes they have',
      'answers the first message to a repeated client_ref for 30 days, and sends nothing',
    ),
  ),
  line(
    '§1 Media: image 5 MB, video and audio 16 MB, document 100 MB, sticker 100 and 500 KB',
    by(
      'media/media',
      'is judged by what it holds: %s',
      'is recognised by its first bytes: %s is %s',
    ),
  ),
  line(
    '§2 1 to 50 stages, one `open` at least, `won` and `lost` after them, positions dense',
    by(
      'pipelines/pipelines',
      'keeps places dense whatever is added, moved and removed',
      'keeps its rules: an open stage stays, and what ends a deal comes after all open ones',
      'has at most 50 stages',
    ),
  ),
  line(
    '§2 One open deal per contact and pipeline, unless a person creates it',
    by(
      'pipelines/creating-deals',
      'refuses a key a second open deal of a contact in a pipeline, and names the first',
      'lets one of two keys in that ask at once',
      'leaves it to a person to open a second one',
    ),
  ),
  line(
    '§3 Ten types of field, options, `save_to` that fits, no target twice',
    by(
      'forms/drafting',
      'refuses a field with %j at %s',
      'lets no two fields share a target, nor ask for consent twice',
    ),
    by('forms/answers', 'of type %s is read from %j'),
  ),
  line(
    '§3 `consent` stores its exact words, is never pre-ticked, never clears an opt-out',
    by('forms/submitting', 'stores the exact words of a consent, and never takes back an opt-out'),
    by('forms/page', 'never ticks consent by itself, whatever its address says'),
  ),
  line(
    '§3 Answers are keyed by a key made once from the label, with a snapshot',
    by(
      'forms/drafting',
      'are made from the labels, and numbered where two are alike',
      'stay with their field through edits, and are never given to another',
    ),
    by(
      'forms/submitting',
      'keeps each answer under its key with its label and type, in the order of the questions, null where it was left empty',
    ),
  ),
  line(
    '§3 `outcome`: created, updated, unchanged',
    by(
      'forms/submitting',
      'creates the contact by its phone, with every field, the tag and the way in',
      'updates whoever has the phone in any spelling, and leaves what was left empty',
    ),
  ),
  line(
    '§3 `outcome`: conflict, saved on the phone’s owner, nothing merged',
    by(
      'forms/submitting',
      "saves on the phone's owner and merges nothing when the e-mail address is another contact's",
    ),
  ),
  line(
    '§3 A submission starts the form’s automation once; `run_id` names the run',
    by(
      'forms/once',
      'starts the automation that the form names, once, with the submission behind it',
    ),
    by(
      'automations/triggers/forms',
      'starts what it names, whatever that listens for, and shows the run',
    ),
  ),
  line(
    '§3 A double click is one submission',
    by(
      'forms/once',
      'is one submission when the same page is sent twice at once, and both see the thanks',
    ),
    by(
      'browser/form',
      'is one submission for a double click, also without JavaScript, and shows the thanks',
    ),
  ),
  line(
    '§3 Bots are refused with 429 or 422 and never stored',
    by(
      'forms/page',
      'refuses a filled trap with 422 and keeps nothing',
      'refuses an address that sends too often with 429, says when to come back, and keeps what was written',
    ),
  ),
  line(
    '§3 The page is accessible, in the workspace’s language, in a real browser',
    by(
      'browser/form',
      'is filled in by keyboard alone, with no finding of axe and no complaint of the browser',
      'says what is wrong beside the field and above, takes the reader there, and keeps what was written',
    ),
    by('forms/page', 'speaks the language of the workspace, and English where it has no other'),
  ),
];
