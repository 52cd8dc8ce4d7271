import { by, line, type Section } from '../lines.ts';

const reports = (test: string) => by('reports/parameters', test);
const limits = by('http/limits', '%s takes a %s of %i and of %i, and nothing longer');
const campaigns = (test: string) => by('campaigns/creating', test);
const refusedCampaign = campaigns('refuses %#: %s by the rule %s, and changes nothing');

export const bodies: Section = {
  title: 'Parameters and bodies',
  source: 'Specification, Endpoints: report query parameters and the body of each call',
  lines: [
    line(
      'Reports, `period`: `today`, `7d`, `30d` (default), `90d`, `custom`',
      reports('of "%s" is from %s to %s, %i days'),
      reports('refuses %s and names %s by the rule %s'),
    ),
    line(
      'Reports, `from` and `to`: valid calendar dates `YYYY-MM-DD`, used with the period `custom`',
      reports('refuses %s and names %s by the rule %s'),
      by('reports/period', 'refuses %j and names the field'),
    ),
    line(
      'Reports, `number`, `team`, `agent`, `automation`, `campaign`, `pipeline`: ids of 1 to 100 characters',
      by('http/limits', 'takes a %s of 1 to 100 characters'),
      reports(
        'keeps to one team, one agent, one pipeline, one origin, and to all of them together',
      ),
      by(
        'reports/reports',
        'the filters %s leave %i attempts',
        'the filters leave conversations of the automation report too',
      ),
    ),
    line(
      'Reports, `origin`: `direct`, `form`, `import`, `campaign`, `team`',
      reports('takes the origin %s'),
      reports('refuses %s and names %s by the rule %s'),
    ),
    line('Reports: all parameters are optional', reports('of "%s" is from %s to %s, %i days')),
    line(
      'PATCH number: all fields are optional, what is left out stays',
      by(
        'numbers/changing',
        'leaves alone what the body leaves out, and an empty body changes nothing',
      ),
    ),
    line(
      'PATCH number: `name`, `team_ids`, `default_team_id`, `stage_id`, `hours`, each refused by its name',
      by(
        'numbers/changing',
        'names a stage for new people, and none with null',
        'is named, and nothing changes: %s',
        'is refused with its own code: %s',
      ),
    ),
    line(
      'PATCH number never changes the connection',
      by('numbers/changing', 'never touches the connection'),
    ),
    line(
      'Campaign `name` and `text`: required, 1 to 80 and 1 to 4096 characters',
      limits,
      refusedCampaign,
    ),
    line(
      'Campaign `number_id`: required, 1 to 100 characters, a number of the workspace',
      limits,
      campaigns('knows no number and no contact of another workspace'),
    ),
    line(
      'Campaign `target`: `segment`, `contacts`, `groups`',
      refusedCampaign,
      by(
        'campaigns/audience/targets',
        'are a segment, with its estimate, or groups at the pace of ten',
      ),
    ),
    line(
      'Campaign `segment_id`, `contact_ids`, `group_ids`: not required, null and empty by default',
      campaigns(
        'answers 201 with a draft, first in the specification’s words, and sets nothing in motion',
      ),
    ),
    line(
      'Campaign `contact_ids` up to 1000, `group_ids` up to 100',
      limits,
      by('http/limits', 'POST /v1/campaigns takes 1 to 100 group_ids, and no more'),
    ),
    line(
      'Campaign `when`: not required, null by default',
      campaigns(
        'answers 201 with a draft, first in the specification’s words, and sets nothing in motion',
      ),
      campaigns('keeps the moment that `when` names, in the workspace’s zone'),
    ),
    line(
      'Campaign `pace`: required, one of four numbers',
      campaigns('names the four paces that there are'),
      by('http/every-route', 'names each field that is missing'),
    ),
    line(
      'Transfer: `team_id` required, a team; 1 to 100 characters',
      by('conversations/transfer', 'refuses a team that is not there, and a member of another one'),
      by('http/every-route', 'names each field that is missing'),
      limits,
    ),
    line(
      'Transfer: `member_id` optional, a member of that team; 1 to 100 characters',
      by(
        'conversations/transfer',
        'sets the team and clears the member, keeps the status, and appends a line',
        'refuses a team that is not there, and a member of another one',
      ),
      limits,
    ),
    line(
      'Deactivate: `in_progress` optional, `finish` (default) or `cancel`',
      by(
        'automations/deactivation',
        'turns it off and lets runs in progress finish',
        'refuses another word for what happens to the runs',
      ),
      by(
        'automations/runs',
        'ends the runs in progress of this automation alone, and no run that has ended',
      ),
      by(
        'security/http-json',
        'is done without a body, with an empty one, and not with an unknown field',
      ),
    ),
    line(
      'PATCH contact: all fields optional, omitted ones stay unchanged',
      by(
        'contacts/changing',
        'answers the id, changes only what it names, and audits before and after',
      ),
    ),
    line(
      'PATCH contact: `name` 1 to 200, `phone` up to 40 characters',
      limits,
      by('contacts/changing', 'refuses a patch whose %s is not the caller’s to write so'),
    ),
    line(
      'PATCH contact: `email` string or null',
      by('contacts/changing', 'clears the phone by an empty string and the e-mail address by null'),
    ),
    line(
      'PATCH contact: `owner_id` a member id, or null for no owner',
      by('contacts/changing', 'takes an owner, and null for none'),
      by('contacts/creating', 'treats a member of another workspace as unknown'),
    ),
    line(
      'POST webhook: `name`, `url`, `events`, each refused by its name',
      by('webhooks/endpoints/creating', 'names the field %s that is wrong'),
    ),
    line(
      'POST webhook: the url must be HTTPS and public: no user or password, no IP literal, no `localhost`, `.local`, `.internal` or `.localhost`',
      by('webhooks/endpoints/creating', 'refuses the address %s with the rule %s'),
      by('security/ssrf-text', 'refuses %s: %j as %s'),
    ),
    line(
      'POST webhook: the secret is shown once and signs the deliveries',
      by('webhooks/endpoints/creating', 'shows the secret once and keeps it encrypted'),
      by(
        'webhooks/lanes/first-attempts',
        'carries the event signed, so that the public verifier accepts it',
      ),
    ),
    line(
      'POST webhook: at the plan’s maximum 409 `quota`',
      by('webhooks/endpoints/creating', 'never goes over the plan, however many ask at once'),
      by('webhooks/lanes/plan', 'under the plan %s are %i and no more'),
    ),
    line(
      'Form `title` required, 1 to 120 characters; `fields` required, 1 to 20 items',
      limits,
      by('forms/drafting', 'refuses %s as %j'),
    ),
    line(
      'Form `description`, `thanks`, `tag`, `automation`: required keys, null for none',
      by('forms/drafting', 'needs the key %s, also where null is its value'),
    ),
    line(
      'Form `tag`: added to whoever submits, found or created by name',
      by(
        'forms/submitting',
        'creates the contact by its phone, with every field, the tag and the way in',
      ),
      by(
        'forms/drafting',
        'takes the spelling of a tag that somebody has, and not the blanks around it',
      ),
    ),
    line(
      'Form `automation`: an existing automation by name, which each submission starts',
      by('forms/drafting', 'names an automation that exists, in any case, and refuses another'),
      by(
        'forms/once',
        'starts the automation that the form names, once, with the submission behind it',
      ),
    ),
    line(
      'Form `thanks`: shown after sending, null for the default; `description`: under the title of the public page',
      by(
        'forms/once',
        'is one submission when the same page is sent twice at once, and both see the thanks',
      ),
      by('forms/page', 'shows what the workspace wrote as text, whatever it looks like'),
    ),
    line(
      'Item of `fields`: `type`, `label`, `required`, `save_to`, `options`',
      by('forms/drafting', 'refuses a field with %j at %s'),
      by('http/every-route', 'answers any value in any field with success or a documented refusal'),
    ),
    line(
      'A created form is unpublished; `publish_form` puts it live',
      by(
        'forms/publishing',
        'puts it live at the address that is answered, and unpublishing takes it down',
      ),
    ),
  ],
};
