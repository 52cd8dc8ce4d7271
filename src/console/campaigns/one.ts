import { Temporal } from 'temporal-polyfill';
import type { Permission } from '../../access/permissions.ts';
import { isInRange } from '../../campaigns/draft/when.ts';
import { readCampaign, viewCampaign } from '../../campaigns/reading.ts';
import { type CampaignStatus, isFinal } from '../../campaigns/rules.ts';
import { deleteCampaign } from '../../campaigns/service.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
  unscheduleCampaign,
} from '../../campaigns/states/transitions.ts';
import type { Context } from '../../context.ts';
import { textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { knownFacts, linkButton, notice } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { asksAgain, TELLS_OPEN_FORMS } from '../frame/live.ts';
import { INBOX } from '../inbox/texts.ts';
import {
  type Action,
  type ConsolePage,
  type Done,
  field,
  idOf,
  type Page,
  type View,
  wasRefused,
} from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst, asSent } from '../parts/form.ts';
import { again, retryAction } from './again.ts';
import { factsOf } from './facts.ts';
import { statusBadge } from './list.ts';
import { type Campaign, isFrozen, isSettling, leftOut, progress, standing } from './progress.ts';
import { contentOf, lockedContent } from './seen.ts';
import { STEP_TEXTS, STEPS, type Step } from './steps.ts';
import { CAMPAIGNS } from './texts.ts';

interface StepRule {
  readonly permission: Permission;
  readonly from: readonly CampaignStatus[];
  readonly take: (ctx: Context, id: string) => Promise<unknown>;
}

const RULES: Readonly<Record<Step, StepRule>> = {
  send: { permission: 'campaigns.send', from: ['draft'], take: sendCampaign },
  unschedule: { permission: 'campaigns.create', from: ['scheduled'], take: unscheduleCampaign },
  pause: { permission: 'campaigns.create', from: ['sending'], take: pauseCampaign },
  resume: { permission: 'campaigns.send', from: ['paused'], take: resumeCampaign },
  cancel: {
    permission: 'campaigns.create',
    from: ['scheduled', 'sending', 'paused'],
    take: cancelCampaign,
  },
  delete: { permission: 'campaigns.create', from: ['draft'], take: deleteCampaign },
};

/** Sends what the person read, and nothing that was written since. */
const decided = <T>(
  page: Page<Context>,
  step: 'send' | 'schedule',
  work: (page: Page<Context>) => Promise<T>,
): Promise<T> => asSeen(page, { stored: lockedContent(idOf(page), step), for: 'decided' }, work);

const stepAction = (step: Step): Action => ({
  permission: RULES[step].permission,
  once: true,
  run: async (page): Promise<Done> => {
    const take = ({ ctx }: Page<Context>) => RULES[step].take(ctx, idOf(page));
    await (step === 'send' ? decided(page, step, take) : take(page));
    const { done } = STEP_TEXTS[page.lang][step];
    return {
      to: step === 'delete' ? '/campaigns' : `/campaigns/${idOf(page)}`,
      flash: { text: done },
    };
  },
});

/** A campaign: what is left to decide before it is sent, and its progress afterwards. */
export const campaignPage: ConsolePage = {
  path: '/campaigns/:id',
  id: 'cmp',
  permission: 'campaigns.read',
  view: async (page) => {
    if (page.seen === 'scheduled') {
      const campaign = await viewCampaign(page.ctx, idOf(page));
      if (campaign.status === page.seen) return moving(page, campaign, page.seen);
    }
    const campaign = await readCampaign(page.ctx, idOf(page));
    const now = stateOf(campaign);
    // Whoever writes in an open form goes on with the page that they have.
    const state = page.seen && page.hasOpenForm ? page.seen : now;
    const part = moving(
      page,
      campaign,
      state,
      html`${state === now ? null : movedOn(page)}${await standing(page, campaign)}${progress(page, campaign)}`,
    );
    if (page.seen === state) return part;
    return {
      ...part,
      content: html`${crumbs(page, ['/campaigns', CAMPAIGNS[page.lang].nav])}
${part.content}
${knownFacts(await factsOf(page, campaign))}
<div class="actions">${links(page, campaign)}${again(page, campaign)}${trial(page, campaign)}${schedule(page, campaign)}${STEPS.map((step) => stepForm(page, campaign, step))}</div>
${isFrozen(campaign) ? leftOut(page, campaign.audience.excluded) : null}`,
    };
  },
  actions: {
    ...(Object.fromEntries(STEPS.map((step) => [step, stepAction(step)])) as Record<Step, Action>),
    retry: retryAction,
    test: {
      permission: 'campaigns.send',
      once: true,
      run: async (page): Promise<Done> => {
        const body = { phone: field(page, 'phone') };
        await call(page, 'test_campaign', { id: idOf(page), body });
        return { to: `/campaigns/${idOf(page)}`, flash: { text: CAMPAIGNS[page.lang].tried } };
      },
    },
    schedule: {
      permission: 'campaigns.send',
      once: true,
      run: async (page): Promise<Done> => {
        const body = { when: field(page, 'when') };
        await decided(page, 'schedule', (seen) =>
          call(seen, 'schedule_campaign', { id: idOf(page), body }),
        );
        return { to: `/campaigns/${idOf(page)}`, flash: { text: CAMPAIGNS[page.lang].scheduled } };
      },
    },
  },
};

/**
 * The part that refreshes itself; the browser that asks for it again gets no other. A scheduled campaign moves only in
 * its status, for whose sake nobody counts whom it would reach.
 */
function moving(
  page: Page,
  { name, status }: Pick<Campaign, 'name' | 'status'>,
  state: string,
  content: Html | null = null,
): View {
  // Beside a refused form nothing is loaded anew, so that a changed status could not be followed.
  const isOn = MOVING.has(state) && !(state === 'scheduled' && page.sent.size > 0);
  const asking = html`${asksAgain(page, { id: 'campaign', seconds: 3, state })}${TELLS_OPEN_FORMS}`;
  return {
    title: name,
    live: isOn,
    state,
    content: html`<div id="campaign"${isOn ? asking : null}>
${bar(name, statusBadge(page, status))}
${content}
</div>`,
  };
}

const movedOn = ({ lang, path }: Page): Html =>
  notice(html`${CAMPAIGNS[lang].movedOn} <a href="${path}">${INBOX[lang].reload}</a>`, 'warn');

const MOVING: ReadonlySet<string> = new Set(['scheduled', 'freezing', 'sending', 'settling']);

/** Its status, and what else decides what the rest of the page has. */
function stateOf(campaign: Campaign): string {
  if (isSettling(campaign)) return 'settling';
  return campaign.status === 'sending' && !isFrozen(campaign) ? 'freezing' : campaign.status;
}

function links(page: Page, campaign: Campaign): Html {
  const { id, status } = campaign;
  const texts = CAMPAIGNS[page.lang];
  const own = `${page.base}/campaigns/${id}`;
  const open = status === 'draft' || status === 'scheduled';
  const frozen = isFrozen(campaign);
  return html`${open ? linkButton(`${own}/preview`, texts.preview) : null}${
    status === 'draft' && page.may('campaigns.create')
      ? linkButton(`${own}/edit`, texts.edit, true)
      : null
  }${frozen ? linkButton(`${own}/recipients`, texts.recipients, true) : null}${
    frozen && isFinal(status) && !isSettling(campaign)
      ? linkButton(`${own}/proof.jsonl`, texts.proof, true)
      : null
  }`;
}

function trial(page: Page, { status }: Campaign): Html | null {
  if (!page.may('campaigns.send') || status === 'done' || status === 'cancelled') return null;
  const { try: label, tryLead: lead, phone } = CAMPAIGNS[page.lang];
  const fields = textField({ ...asSent(page, 'phone'), label: phone, required: true });
  return askFirst(page, 'test', { label, lead, fields, open: wasRefused(page, 'test') });
}

function schedule(page: Page, campaign: Campaign): Html | null {
  if (!page.may('campaigns.send') || campaign.status !== 'draft') return null;
  const texts = CAMPAIGNS[page.lang];
  const sent = asSent(page, 'when');
  const when = textField({
    ...sent,
    value: sent.value || plannedFor(page, campaign),
    type: 'datetime-local',
    label: texts.when,
    hint: texts.whenHint(page.workspace.timeZone),
    required: true,
  });
  return askFirst(page, 'schedule', {
    label: texts.schedule,
    fields: html`${seenField(page, contentOf(campaign))}${when}`,
    open: wasRefused(page, 'schedule'),
  });
}

/** A draft's own time, as the field for it takes one. */
function plannedFor({ ctx, workspace }: Page, { send_at: planned }: Campaign): string {
  if (!planned || !isInRange(new Date(planned), ctx.now)) return '';
  const local = Temporal.Instant.from(planned).toZonedDateTimeISO(workspace.timeZone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

function stepForm(page: Page, campaign: Campaign, step: Step): Html | null {
  const { permission, from } = RULES[step];
  if (!from.includes(campaign.status) || !page.may(permission)) return null;
  const texts = CAMPAIGNS[page.lang];
  const { [step]: words, send } = STEP_TEXTS[page.lang];
  // Paused before it went to anybody, such as when it missed its time.
  const begins = step === 'send' || (step === 'resume' && campaign.started_at === null);
  // Since somebody looked at the preview, it may have come to reach many more.
  const now = `${texts.goesTo(page.format.number(campaign.audience.eligible))} ${send.lead}`;
  const lead = begins ? now : words.lead;
  const danger = begins || step === 'cancel' || step === 'delete';
  const fields = step === 'send' ? seenField(page, contentOf(campaign)) : null;
  return askFirst(page, step, { label: words.button, lead, fields, danger });
}
