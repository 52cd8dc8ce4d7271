import { by, line, type Section } from '../../lines.ts';

const steps = by('campaigns/steps', '%s from %s goes as the table says');
const halts = by('campaigns/batches/refusals', '%s pauses the campaign: %s, the number is %s');

export const decisionStates: Section = {
  title: 'States and transitions of the decisions',
  source: 'Design decisions §1, §2, §3, §6, §8, §9, §10, §15',
  lines: [
    line(
      '§1 Message: a report only raises the rank; `failed` only from below delivered; a delivery heals a failure',
      by(
        'conversations/merge',
        `turns \${current} into \${expected.join(', ')} by sent, delivered, read, failed`,
        'ends at the same status whatever the order of reports that deliver',
      ),
      by(
        'conversations/statuses',
        'keeps why a message failed, and forgets it when a delivery heals the message',
      ),
    ),
    line(
      '§1 Message: `read` fills `delivered_at`',
      by('conversations/merge', 'fills the stages that a report of read skipped'),
    ),
    line(
      '§1 Message: an unknown answer is `unconfirmed`, never sent again, settled by a status webhook',
      by('conversations/lane', 'reports a lost answer as unconfirmed and never sends again'),
      by(
        'conversations/statuses',
        'settles an unconfirmed message and announces it once, however often it is told',
      ),
    ),
    line(
      '§2 Deal: `won` and `lost` close it, moving back reopens it',
      by('pipelines/rules', 'is closed by won and lost, and opened again by open'),
      by(
        'pipelines/moving-deals',
        'tells from where to where, and how it stands then',
        'is lost for a reason, which goes when it is opened again',
      ),
    ),
    line(
      '§3 Form: draft and unpublished, publish: published; published, unpublish: unpublished; else 409',
      by(
        'forms/publishing',
        'puts it live at the address that is answered, and unpublishing takes it down',
        'is refused from where it makes no sense, and says from where it does',
      ),
    ),
    line(
      '§6 Campaign: schedule, unschedule, pause, resume, cancel from each state; everything else 409 with the allowed ones',
      steps,
    ),
    line(
      '§6 Campaign, scheduled, its time comes: sending, the audience frozen',
      by('campaigns/schedule', 'begins at its time, however far away, and sends to everybody once'),
    ),
    line(
      '§6 Campaign, scheduled, late by more than 60 minutes: paused, `missed_schedule`',
      by(
        'campaigns/schedule',
        'waits for a person when its time is over an hour ago',
        'still begins by itself when its time is less than an hour ago',
      ),
    ),
    line(
      '§6 Campaign, sending, pause: once answered no new send starts, those in flight settle',
      by('campaigns/stopping', 'starts no new send once a pause was answered'),
    ),
    line(
      '§6 Campaign, paused, resume: skips everyone settled',
      by(
        'campaigns/workflow',
        'sends nothing more once a pause was answered, and goes on with the rest when resumed',
      ),
    ),
    line(
      '§6 Campaign, cancel: pending recipients become cancelled, sent ones are untouched',
      by(
        'campaigns/stopping',
        'settles those in flight when it is cancelled, and calls off the others',
      ),
    ),
    line(
      '§6 Campaign, last recipient settled: done',
      by('campaigns/batches/sending', 'sends to everybody exactly once and ends the campaign'),
    ),
    line(
      '§6 Pause by itself: `number_unavailable`, `spam_limit`',
      halts,
      by('inbound/halts', 'with %i leaves its campaign %s (%s) and its number %s'),
    ),
    line(
      '§6 Pause by itself: `error_rate`, 20% of the last 50',
      by(
        'campaigns/batches/refusals',
        'pauses a campaign whose sends fail too often, and looks afresh after it was resumed',
      ),
    ),
    line(
      '§6 PATCH and DELETE only in draft',
      by('campaigns/steps', 'edit and delete only what is a draft'),
    ),
    line(
      '§8 Number, connected, token revoked: disconnected; account locked: suspended; both with the reason',
      halts,
      by(
        'numbers/numbers',
        'shows since when and why, keeps its first reason, and is audited once',
      ),
    ),
    line(
      '§8 Number, added: provisioning, and connected once it is known to WhatsApp',
      by(
        'numbers/numbers',
        'leaves a Cloud API number whose id is not known yet in provisioning',
        'connects a sandbox number under digits of its own, without ceiling and window',
      ),
    ),
    line(
      '§8 Number, disconnected, taken into use by a person: connected',
      by(
        'numbers/numbers',
        'is taken into use again by a person, with a new token when there is one',
      ),
    ),
    line(
      '§8 Reconnecting never resumes a campaign by itself',
      by(
        'campaigns/batches/refusals',
        'is not met again before the number works: resuming pauses it once more',
      ),
    ),
    line(
      '§9 Automation, inactive, activate: the next version; active with edits: publishes them; without: no change',
      by(
        'automations/activation',
        'makes the next version of one that was off, edited or not',
        'publishes edits of one that is on; until then new runs would follow the old version',
        'changes nothing when it is on and without edits',
      ),
    ),
    line(
      '§9 Automation, draft, deactivate: 409; inactive with `cancel`: also ends what still finishes',
      by('automations/deactivation', 'refuses a draft: it was never on'),
      by('automations/runs', 'also ends what still finishes after a first finish'),
    ),
    line(
      '§9 Run: running and waiting can be cancelled, no other',
      by('automations/runs', 'from %s keeps to the states'),
    ),
    line(
      '§9 One active run per automation and contact; the second trigger is dropped and counted',
      by(
        'automations/triggers/entry',
        'lets a contact in once at a time, and counts what it turns away',
      ),
      by('automations/runs', 'lets the contact begin anew'),
    ),
    line(
      '§10 Reminder, target removed: cancelled by the system, `target_removed`',
      by(
        'reminders/target-removed',
        'cancels the reminders to it, in the same transaction, and says so in the log',
        'never leaves an active reminder behind that was made at the same moment',
      ),
      by('reminders/listing', 'are cancelled by the service, the active ones alone'),
    ),
    line(
      '§10 Reminder, cancelled while it runs: recipients not yet sent are cancelled',
      by('reminders/changing', 'leaves out those of a run under way who were not sent to yet'),
    ),
    line(
      '§11 Segment in use: not deleted',
      by(
        'segments/segments-api',
        'is deleted unless something still to come uses it, and then says what',
      ),
    ),
    line(
      '§12 Import: cancelled, who is in stays in',
      by(
        'contacts/imports-api',
        'stops when it is cancelled: who is in stays in, and the rest is forgotten',
      ),
      by(
        'contacts/import-workflow',
        'cancelled by an operator stops after the batch in hand, and who is in stays in',
      ),
    ),
    line(
      '§13 Conversation: an inbound message reopens a closed one; reopen of an open one and close of a closed one 409',
      by(
        'conversations/closing',
        'is undone by the next message of the contact',
        'reopens what is closed, and refuses what is open',
        'closes once, tells the customer how it went, and writes the log',
      ),
    ),
    line(
      '§15 Delivery: deleting the endpoint ends its retries',
      by(
        'webhooks/endpoints/creating',
        'ends its deliveries, frees its place and answers like a missing one afterwards',
      ),
      by('webhooks/time/changes', 'never attempts it again once its endpoint is deleted'),
    ),
    line(
      '§15 Delivery: sent now by an operator, or cancelled by one',
      by(
        'webhooks/time/changes',
        'tries it at once when an operator asks, before its time',
        'ends it as failed, cancelled by the operator, when it is cancelled',
      ),
    ),
    line(
      '§17 Member: suspended and reactivated, and an Owner always left',
      by(
        'members/leaving',
        'is possible once, and so is reactivating',
        'is not %s, though a suspended or an invited Owner is left',
        'stays when all of them leave at the same moment',
      ),
    ),
  ],
};
