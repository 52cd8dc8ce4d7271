import type { Faults } from '../faults.ts';
import type { Addressee, Phones } from '../phones.ts';
import type { Fate } from '../sending/magic.ts';
import { newWamid, wamidOfReply } from '../sending/wamid.ts';
import type { Callbacks } from './callbacks.ts';
import {
  changeWebhook,
  type EchoedText,
  echoWebhook,
  type InboundText,
  inboundWebhook,
  type NumberEvent,
  numberWebhook,
  type Status,
  statusWebhook,
} from './envelopes.ts';
import type { Owed } from './owed.ts';
import { createTimetable } from './timetable.ts';

const TICK_MS = 30;
const STATUSES_PER_POST = 100;
const SHUFFLE_OVER_MS = 300;

interface Accepted {
  /** Its line in the ledger. */
  n: number;
  phone_number_id: string;
  recipient: Addressee;
  wamid: string;
  key: string | null;
  /** Shows a status under the message on the person's phone. */
  show: (status: string) => void;
}

type Written = Pick<InboundText, 'from' | 'text' | 'groupId' | 'file'> & { name?: string };

export interface Webhooks {
  /** Schedules everything that follows an accepted message, counted from `from` (ms). */
  follow(message: Accepted, fate: Fate, from: number): void;
  /**
   * A person writes.
   *
   * @returns the message's id, and whether the service accepted it at once
   */
  write(phoneNumberId: string, message: Written): Promise<{ id: string; delivered: boolean }>;
  /**
   * Someone in the business writes on the phone.
   *
   * @returns as `write`
   */
  echo(
    phoneNumberId: string,
    message: Pick<EchoedText, 'to' | 'text'>,
  ): Promise<{ id: string; delivered: boolean }>;
  /**
   * A person has another phone or, where they hide it, another id.
   *
   * @returns whether the service accepted the news at once
   */
  change(phoneNumberId: string, from: Addressee, to: Addressee): Promise<boolean>;
  /**
   * Something happens to the number itself.
   *
   * @returns whether the service accepted it at once
   */
  tell(phoneNumberId: string, event: NumberEvent): Promise<boolean>;
  /** Applies changed faults to what is pending. */
  faultsChanged(): void;
  stop(): void;
}

type Due =
  | { kind: 'status'; message: Accepted; status: string; errorCode: number | null; copy: boolean }
  | { kind: 'reply'; message: Accepted; text: string };

function shuffle<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}

type DueStatus = Due & { kind: 'status' };

function statusOf({ message, status, errorCode }: DueStatus): Status {
  const { recipient, wamid, key } = message;
  return { wamid, status, errorCode, recipient, key };
}

function postStatuses(callbacks: Callbacks, owed: Owed, due: readonly DueStatus[]): void {
  for (const { message, status, copy } of due) if (!copy) message.show(status);
  const byNumber = Map.groupBy(due, ({ message }) => message.phone_number_id);
  for (const [phoneNumberId, items] of byNumber) {
    for (let at = 0; at < items.length; at += STATUSES_PER_POST) {
      const batch = items.slice(at, at + STATUSES_PER_POST);
      void callbacks.post(statusWebhook(phoneNumberId, batch.map(statusOf)), () => {
        for (const { message, copy } of batch) if (!copy) owed.taken(message.n);
      });
    }
  }
}

const FIRST_NAMES = [
  'Ana',
  'Bruno',
  'Clara',
  'Davi',
  'Elisa',
  'Fábio',
  'Gabi',
  'Hugo',
  'Iara',
  'João',
];

/** As on WhatsApp, where people call themselves something; always the same for the same person. */
const profileName = (id: string): string =>
  FIRST_NAMES[Number(/\d(?=\D*$)/.exec(id)?.[0] ?? 0)] ?? id;

/** What people write to a number, and what the business writes on its phone. */
function createWriting(callbacks: Callbacks, phones: Phones) {
  const writeAs = async (
    id: string,
    phoneNumberId: string,
    { from, name, text, groupId, file }: Written,
    taken?: () => void,
  ): Promise<{ id: string; delivered: boolean }> => {
    phones.show(
      {
        phone_number_id: phoneNumberId,
        person: groupId ?? from.id,
        ...(name && !groupId ? { name } : {}),
      },
      { wamid: id, direction: 'from_person', type: file?.type ?? 'text', text, t: Date.now() },
    );
    const webhook = inboundWebhook(phoneNumberId, {
      wamid: id,
      from,
      name: name ?? profileName(from.id),
      text,
      groupId,
      file,
    });
    return { id, delivered: await callbacks.post(webhook, taken) };
  };

  const echo: Webhooks['echo'] = async (phoneNumberId, { to, text }) => {
    const id = newWamid(to.id);
    phones.show(
      { phone_number_id: phoneNumberId, person: to.id },
      { wamid: id, direction: 'to_person', type: 'text', text, t: Date.now() },
    );
    return {
      id,
      delivered: await callbacks.post(echoWebhook(phoneNumberId, { wamid: id, to, text })),
    };
  };

  return { writeAs, echo };
}

/** Turns fates into signed webhooks: what falls due in one tick is sent together, by number. */
export function createWebhooks(options: {
  callbacks: Callbacks;
  owed: Owed;
  phones: Phones;
  faults: () => Faults;
}): Webhooks {
  const { callbacks, owed, phones, faults } = options;
  let held: Due[] = [];

  const { writeAs, echo } = createWriting(callbacks, phones);

  const reply = ({ message, text }: Due & { kind: 'reply' }): void => {
    const { n, wamid, phone_number_id, recipient: from } = message;
    void writeAs(wamidOfReply(wamid), phone_number_id, { from, text }, () => owed.taken(n));
  };

  const send = (items: Due[]): void => {
    const inOrder = faults().status_shuffle ? shuffle(items) : items;
    for (const item of inOrder) if (item.kind === 'reply') reply(item);
    const statuses = inOrder.filter((item) => item.kind === 'status');
    postStatuses(callbacks, owed, statuses);
  };

  const timetable = createTimetable<Due>(TICK_MS, (items) => {
    if (faults().status_webhooks) send(items);
    else held.push(...items);
  });

  const followStatus = (item: Due & { kind: 'status' }, dueAt: number): void => {
    const late = () => (faults().status_shuffle ? Math.random() * SHUFFLE_OVER_MS : 0);
    timetable.add(dueAt + late(), item);
    for (let copy = 1; copy <= faults().status_duplicates; copy += 1) {
      timetable.add(dueAt + copy * TICK_MS + late(), { ...item, copy: true });
    }
  };

  return {
    follow: (message, fate, from) => {
      owed.add(message.n, fate.steps.length + (fate.reply ? 1 : 0));
      for (const { status, afterMs, errorCode = null } of fate.steps) {
        const item = { kind: 'status', message, status, errorCode, copy: false } as const;
        followStatus(item, from + afterMs);
      }
      if (fate.reply) {
        const { afterMs, text } = fate.reply;
        timetable.add(from + afterMs, { kind: 'reply', message, text });
      }
    },
    write: (phoneNumberId, message) => writeAs(newWamid(message.from.id), phoneNumberId, message),
    echo,
    change: (phoneNumberId, from, to) => callbacks.post(changeWebhook(phoneNumberId, from, to)),
    tell: (phoneNumberId, event) => callbacks.post(numberWebhook(phoneNumberId, event)),
    faultsChanged: () => {
      if (!faults().status_webhooks) return;
      const released = held;
      held = [];
      for (const item of released) timetable.add(Date.now(), item);
    },
    stop: () => timetable.clear(),
  };
}
