import { audit } from '../audit/service.ts';
import {
  findByPhone,
  type KnownContact,
  type PhoneOwner,
} from '../contacts/identity/identities.ts';
import { requirePhone } from '../contacts/identity/phones.ts';
import { createContact } from '../contacts/service.ts';
import { asText, requiredVariables, variableOf } from '../contacts/variables.ts';
import type { Context } from '../context.ts';
import { conversationWith } from '../conversations/sending/addressing.ts';
import { queueMessage } from '../conversations/sending/outgoing.ts';
import { render } from '../conversations/sending/personal-text.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, validation } from '../errors.ts';
import { WINDOW_MARGIN_MS } from '../numbers/rules.ts';
import { candidates } from './audience/candidates.ts';
import type { Campaign } from './entities.ts';
import { lockCampaign, targetOf } from './service.ts';

export interface TestSend {
  readonly message_id: string;
  readonly conversation_id: string;
  readonly phone: string;
  readonly text: string;
}

/**
 * Sends a campaign's text to one phone, rendered for the person who has it. It is an ordinary message and not part of
 * the results. Throws 404 if the actor cannot see the conversation with them, 422 `opted_out`, `out_of_window`, and
 * `validation`.
 */
export const trySending = (ctx: Context, id: string, written: string): Promise<TestSend> =>
  transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, 'test');
    const person = await whoHas(tx, written);
    if (person.optedOut) {
      throw new AppError('opted_out', 'The person behind this phone wants no messages.', {
        contact_id: person.id,
      });
    }
    if (person.blocked) {
      const message = 'The contact is blocked.';
      throw validation([{ path: 'phone', rule: 'blocked', message }]);
    }
    const toPhone = person.spelling;
    const text = await textFor(tx, campaign, person.id);
    const numberId = campaign.numberId ?? '';
    const conversationId = await conversationWith(tx, numberId, person.id);
    await requireWindow(tx, conversationId);
    const source = tx.actor.type === 'member' ? 'member' : 'api';
    const messageId = await queueMessage(tx, { conversationId, toPhone, source, text });
    await audit(tx, { action: 'campaign.tested', target: targetOf(campaign) });
    return { message_id: messageId, conversation_id: conversationId, phone: toPhone, text };
  });

async function whoHas(tx: Context, written: string): Promise<KnownContact & PhoneOwner> {
  const phone = requirePhone(written);
  const known = await findByPhone(tx, phone.e164);
  if (known) return known;
  const { id, name, opted_out: optedOut } = await createContact(tx, { phone: phone.e164 });
  return { id, name, phone: phone.e164, spelling: phone.e164, optedOut, blocked: false };
}

async function textFor(
  tx: Context,
  { text, target }: Campaign,
  contactId: string,
): Promise<string> {
  const nothing = { numberId: null, cap: null, campaignId: '', now: tx.now };
  const [person] = await candidates(tx.sql, tx.organizationId, [contactId], nothing);
  const named = { name: person?.name ?? '', custom: person?.custom ?? {} };
  const rendered = render(text, named);
  if (rendered !== null) return rendered;
  // A group always has a name, and only the name can be used: the text stands as it is written.
  if (target === 'groups') return text;
  const which = requiredVariables(text).filter((name) => asText(variableOf(named, name)) === '');
  const message =
    'The text mentions something that is not known of this person. Give it a fallback, as in {{first_name|there}}.';
  throw validation([{ path: 'phone', rule: 'missing_variable', message, which }]);
}

/** Checked before anything is queued, as for every free text (design decisions §22). */
async function requireWindow(tx: Context, conversationId: string): Promise<void> {
  const open = await first(
    tx.sql,
    `select 1 from conversations v join numbers n on n.organization_id = $1 and n.id = v.number_id
     where v.organization_id = $1 and v.id = $2 and (not n.window_24h or v.window_expires_at > $3)`,
    [tx.organizationId, conversationId, new Date(tx.now.getTime() + WINDOW_MARGIN_MS)],
  );
  if (open) return;
  const message = 'The 24-hour window is closed. The person must write first.';
  throw new AppError('out_of_window', message);
}
