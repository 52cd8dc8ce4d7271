import type { Context } from '../../context.ts';
import { MINUTE_MS } from '../../durations.ts';
import { newIdAt } from '../../ids.ts';

type Speaker = 'contact' | 'member' | 'automation' | 'ai' | 'api';

/** One message, with the minutes since the conversation began. */
type Line = readonly [minute: number, who: Speaker, text: string];

export interface Story {
  /** Days ago, and the hour. */
  readonly daysAgo: number;
  readonly hour: number;
  readonly lines: readonly Line[];
  readonly ends: 'closed' | 'open' | 'waiting';
}

const ASKS_FOR_CAKE: readonly Line[] = [
  [0, 'contact', 'Oi! Vocês fazem bolo de aniversário por encomenda?'],
  [0.1, 'automation', 'Olá! Que bom ter você aqui. Já vamos te responder.'],
  [6, 'member', 'Fazemos sim! Para quantas pessoas e para que dia?'],
  [9, 'contact', 'Umas 20 pessoas, para sábado'],
  [12, 'member', 'Perfeito. Temos de nozes, brigadeiro e frutas vermelhas. Qual prefere?'],
  [15, 'contact', 'Frutas vermelhas, por favor'],
  [16, 'member', 'Anotado! Fica R$ 180. Pode retirar a partir das 10h.'],
];
const ASKS_FOR_HOURS: readonly Line[] = [
  [0, 'contact', 'Qual o horário de funcionamento?'],
  [0.05, 'ai', 'Abrimos todos os dias das 7h às 20h. No domingo, até as 13h.'],
  [2, 'contact', 'Obrigada!'],
];
const ASKS_FOR_DELIVERY: readonly Line[] = [
  [0, 'contact', 'Quanto custa a entrega?'],
  [0.06, 'ai', 'A entrega custa R$ 8 até 3 km e R$ 14 até 6 km.'],
  [4, 'contact', 'Vocês aceitam vale-refeição?'],
  [4.1, 'ai', 'Sim, na loja e na entrega.'],
];
const PICKS_UP: readonly Line[] = [
  [0, 'api', 'Seu pedido está pronto para retirada. Até já!'],
  [14, 'contact', 'Chego em 20 minutos'],
  [15, 'member', 'Combinado!'],
];
const COMPLAINS: readonly Line[] = [
  [0, 'contact', 'O pão de ontem veio queimado embaixo'],
  [0.05, 'ai', 'Sinto muito por isso. Vou chamar alguém da equipe.'],
  [
    18,
    'member',
    'Oi, aqui é a Carla. Passe na loja que trocamos na hora, com nosso pedido de desculpas.',
  ],
  [25, 'contact', 'Obrigado pela atenção'],
];
const WAITS: readonly Line[] = [[0, 'contact', 'Bom dia, vocês têm pão sem glúten hoje?']];

const KINDS = [ASKS_FOR_HOURS, ASKS_FOR_CAKE, PICKS_UP, ASKS_FOR_DELIVERY, COMPLAINS] as const;

/** Conversations of the last weeks: one for each of the first customers, the newest still waiting. */
export const STORIES: readonly Story[] = Array.from({ length: 30 }, (_, n) => ({
  daysAgo: n < 4 ? 0 : Math.floor(n * 1.4),
  hour: 8 + ((n * 3) % 11),
  lines: n < 3 ? WAITS : (KINDS[n % KINDS.length] ?? ASKS_FOR_HOURS),
  ends: n < 3 ? 'waiting' : n < 9 ? 'open' : 'closed',
}));

export interface Place {
  readonly numberId: string;
  readonly contactId: string;
  readonly teamId: string;
  readonly member: { readonly id: string; readonly name: string };
  readonly automation: { readonly id: string; readonly name: string };
}

/** Writes a story as if it had really happened: ids from its time, statuses read. */
export async function tell(tx: Context, story: Story, begin: Date, place: Place): Promise<string> {
  const conversationId = newIdAt('cnv', begin);
  const lines = story.lines.map(([minute, who, text]) => {
    const at = new Date(begin.getTime() + minute * MINUTE_MS);
    return { id: newIdAt('msg', at), at, who, text };
  });
  const last = lines.at(-1)?.at ?? begin;
  const heard = lines.findLast(({ who }) => who === 'contact')?.at ?? null;
  const answered = lines.some(({ who }) => who === 'member');
  await tx.sql.rows(
    `insert into conversations (organization_id, id, number_id, contact_id, status, assigned_team_id, assigned_member_id, unread,
       handled_by, opened_at, closed_at, last_message_at, window_expires_at, waiting_since, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::timestamptz + interval '24 hours', $14, $10, $12)`,
    [
      tx.organizationId,
      conversationId,
      place.numberId,
      place.contactId,
      story.ends === 'closed' ? 'closed' : 'open',
      place.teamId,
      answered ? place.member.id : null,
      story.ends === 'waiting' ? 1 : 0,
      story.ends === 'closed' ? 'none' : answered ? 'member' : 'automation',
      begin,
      story.ends === 'closed' ? new Date(last.getTime() + 10 * MINUTE_MS) : null,
      last,
      heard,
      story.ends === 'waiting' ? last : null,
    ],
  );
  for (const line of lines) await write(tx, line, conversationId, place);
  return conversationId;
}

interface Written {
  readonly id: string;
  readonly at: Date;
  readonly who: Speaker;
  readonly text: string;
}

function write(tx: Context, { id, at, who, text }: Written, conversationId: string, place: Place) {
  const inbound = who === 'contact';
  const byAutomation = who === 'ai' || who === 'automation';
  const author = authorOf(who, place);
  return tx.sql.rows(
    `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source,
       author, automation_id, sent_at, delivered_at, read_at, created_at)
     values ($1, $2, $3, $4, $5, $6, 'text', $7, $8, $9, $10, $11, $12, $12, $12, $13)`,
    [
      tx.organizationId,
      id,
      conversationId,
      place.numberId,
      place.contactId,
      inbound ? 'inbound' : 'outbound',
      text,
      inbound ? 'received' : 'read',
      byAutomation ? 'automation' : who,
      author ? JSON.stringify(author) : null,
      byAutomation ? place.automation.id : null,
      inbound ? null : new Date(at.getTime() + 1_000),
      at,
    ],
  );
}

function authorOf(who: Speaker, { member, automation }: Place) {
  if (who === 'member') return { type: 'member', ...member };
  if (who === 'ai') return { type: 'ai', ...automation };
  return who === 'automation' ? { type: 'automation', ...automation } : null;
}
