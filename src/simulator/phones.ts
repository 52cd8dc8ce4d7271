/** A person as WhatsApp addresses them: by phone number in digits, or by business-scoped user id. */
export interface Addressee {
  id: string;
  isPhone: boolean;
}

/** Whom a message went to, by the form of their id: the ledger keeps no more than that. */
export function kindOf(id: string): 'phone' | 'user' | 'group' {
  if (/^\d{7,24}$/.test(id)) return 'phone';
  return /^[A-Z]{2}\.[\w.-]{1,128}$/.test(id) ? 'user' : 'group';
}

interface Bubble {
  wamid: string;
  direction: 'to_person' | 'from_person';
  type: string;
  text: string | null;
  /** Milliseconds since the epoch. */
  t: number;
  /** The latest status; null before any, and for messages from the person. */
  status: string | null;
}

interface Conversation {
  phone_number_id: string;
  person: string;
  name: string | null;
  bubbles: Bubble[];
}

interface Page {
  version: number;
  conversations: {
    phone_number_id: string;
    /** A person, or a group that the number is in. */
    person: string;
    is_group: boolean;
    name: string | null;
    last: string | null;
    t: number;
  }[];
  messages: Bubble[];
}

export interface Phones {
  /** Shows a message on the phone; the returned function sets its later statuses. */
  show(
    at: { phone_number_id: string; person: string; name?: string },
    bubble: Omit<Bubble, 'status'>,
  ): (status: string) => void;
  /** Everything the page shows, or null if nothing has changed since version `seen`. */
  page(phoneNumberId: string, person: string, seen: number): Page | null;
}

const BUBBLES_KEPT = 200;
const CONVERSATIONS_SHOWN = 100;

/** What all persons' phones show: the last messages of each conversation. */
export function createPhones(): Phones {
  // A Map keeps the order of insertion, so the most recently touched conversation is last.
  const conversations = new Map<string, Conversation>();
  let version = 1;

  const touch = (at: { phone_number_id: string; person: string }): Conversation => {
    const id = `${at.phone_number_id} ${at.person}`;
    const found = conversations.get(id) ?? {
      phone_number_id: at.phone_number_id,
      person: at.person,
      name: null,
      bubbles: [],
    };
    conversations.delete(id);
    conversations.set(id, found);
    return found;
  };

  return {
    show: (at, shown) => {
      const bubble: Bubble = { ...shown, status: null };
      const conversation = touch(at);
      conversation.name = at.name ?? conversation.name;
      conversation.bubbles.push(bubble);
      if (conversation.bubbles.length > BUBBLES_KEPT) conversation.bubbles.shift();
      version += 1;
      return (status) => {
        bubble.status = status;
        version += 1;
      };
    },
    page: (phoneNumberId, person, seen) => {
      if (seen === version) return null;
      const latest = [...conversations.values()].slice(-CONVERSATIONS_SHOWN).reverse();
      return {
        version,
        conversations: latest.map(({ bubbles, ...conversation }) => ({
          ...conversation,
          is_group: kindOf(conversation.person) === 'group',
          last: bubbles.at(-1)?.text ?? null,
          t: bubbles.at(-1)?.t ?? 0,
        })),
        messages: conversations.get(`${phoneNumberId} ${person}`)?.bubbles ?? [],
      };
    },
  };
}
