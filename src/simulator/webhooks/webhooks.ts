import type { Faults } from '../faults.ts';
import type { Addressee, Phones } from '../phones.ts';
import type { Fate } from '../sending/magic.ts';
import { newWamid } from '../sending/wamid.ts';
import type { Callbacks } from './callbacks.ts';
import {
  type EchoedText,
  echoWebhook,
  type InboundText,
  inboundWebhook,
  type NumberEvent,
  numberWebhook,
  type Status,
  statusWebhook,
} from './envelopes.ts';
import { createTimetable } from './timetable.ts';

const TICK_MS = 30;
const STATUSES_PER_POST = 100;
const SHUFFLE_OVER_MS = 300;

interface Accepted {
  phone_number_id: string;
  recipient: Addressee;
  wamid: string;
  key: string | null;
  /** Shows a status under the message on the person's phone. */
  show: (status: string) => void;
}

export interface Webhooks {
  /** Schedules everything that follows an accepted message, counted from `from` (ms). */
  follow(message: Accepted, fate: Fate, from: number): void;
  /**
   * A person writes.
   *
   * @returns the message's id, and whether the service accepted it at once
   */
  write(
    phoneNumberId: string,
    message: Pick<InboundText, 'from' | 'text' | 'groupId' | 'file'> & { name?: string },
  ): Promise<{ id: string; delivered: boolean }>;
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

function collect(byNumber: Map<string, Status[]>, due: Due & { kind: 'status' }): void {
  const { phone_number_id, recipient, wamid, key, show } = due.message;
  if (!due.copy) show(due.status);
  const status = { wamid, status: due.status, errorCode: due.errorCode, recipient, key };
  const statuses = byNumber.get(phone_number_id);
  if (statuses) statuses.push(status);
  else byNumber.set(phone_number_id, [status]);
}

function postStatuses(callbacks: Callbacks, byNumber: Map<string, Status[]>): void {
  for (const [phoneNumberId, statuses] of byNumber) {
    for (let at = 0; at < statuses.length; at += STATUSES_PER_POST) {
      const batch = statuses.slice(at, at + STATUSES_PER_POST);
      void callbacks.post(statusWebhook(phoneNumberId, batch));
    }
  }
}

/** Turns fates into signed webhooks: what falls due in one tick is sent together, by number. */
export function createWebhooks(options: {
  callbacks: Callbacks;
  phones: Phones;
  faults: () => Faults;
}): Webhooks {
  const { callbacks, phones, faults } = options;
  let held: Due[] = [];

  const write: Webhooks['write'] = async (phoneNumberId, { from, name, text, groupId, file }) => {
    const id = newWamid(from.id);
    phones.show(
      { phone_number_id: phoneNumberId, person: from.id, ...(name ? { name } : {}) },
      { wamid: id, direction: 'from_person', type: file?.type ?? 'text', text, t: Date.now() },
    );
    const webhook = inboundWebhook(phoneNumberId, {
      wamid: id,
      from,
      name: name ?? from.id,
      text,
      groupId,
      file,
    });
    return { id, delivered: await callbacks.post(webhook) };
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

  const reply = ({ message, text }: Due & { kind: 'reply' }): void => {
    const from = message.recipient;
    void write(message.phone_number_id, { from, text });
  };

  const send = (items: Due[]): void => {
    const byNumber = new Map<string, Status[]>();
    for (const item of faults().status_shuffle ? shuffle(items) : items) {
      if (item.kind === 'reply') reply(item);
      else collect(byNumber, item);
    }
    postStatuses(callbacks, byNumber);
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
      for (const { status, afterMs, errorCode = null } of fate.steps) {
        const item = { kind: 'status', message, status, errorCode, copy: false } as const;
        followStatus(item, from + afterMs);
      }
      if (fate.reply) {
        const { afterMs, text } = fate.reply;
        timetable.add(from + afterMs, { kind: 'reply', message, text });
      }
    },
    write,
    echo,
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
