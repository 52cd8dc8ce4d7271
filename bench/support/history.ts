import { type Database, inWorkspace } from '../../src/db/database.ts';
import { DAY_MS } from '../../src/durations.ts';
import { newIdAt } from '../../src/ids.ts';

export interface HistorySizes {
  readonly messages: number;
  readonly days: number;
  readonly contacts: number;
}

const BATCH = 10_000;

/** What a busy shop's messages come from, of twenty. */
const SOURCES = [
  ...Array.from({ length: 11 }, () => 'campaign'),
  ...Array.from({ length: 3 }, () => 'contact'),
  ...Array.from({ length: 3 }, () => 'automation'),
  ...Array.from({ length: 2 }, () => 'member'),
  'api',
];
const QUESTIONS = [
  'Qual o horário?',
  'Quanto custa o frete?',
  'Tem na cor azul?',
  'Obrigado!',
  'Onde fica a loja?',
];

/** Conversations of one number with messages spread evenly over the days until now, written straight into the tables. */
export async function aHistory(
  database: Database,
  {
    organizationId,
    numberId,
    memberId,
    automationId,
  }: Record<'organizationId' | 'numberId' | 'memberId' | 'automationId', string>,
  { messages, days, contacts }: HistorySizes,
): Promise<void> {
  const begin = Date.now() - days * DAY_MS;
  const write = (text: string, params: readonly unknown[]): Promise<unknown> =>
    inWorkspace(database, organizationId, (sql) => sql.rows(text, [organizationId, ...params]));
  const people = Array.from({ length: contacts }, (_, n) => ({
    contact: newIdAt('con', new Date(begin + n)),
    conversation: newIdAt('cnv', new Date(begin + n)),
  }));
  for (let from = 0; from < contacts; from += BATCH) {
    const page = people.slice(from, from + BATCH);
    await write(
      `with people as (select * from unnest($2::text[], $3::text[]) as p (contact, conversation)),
       made as (insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
         select $1, contact, 'Pessoa', (array['direct','import','campaign'])[1 + abs(hashtext(contact)) % 3], 'api', $4, $4 from people returning 1)
       insert into conversations (organization_id, id, number_id, contact_id, assigned_member_id, opened_at, created_at)
       select $1, conversation, $5, contact, $6, $4, $4 from people`,
      [
        page.map(({ contact }) => contact),
        page.map(({ conversation }) => conversation),
        new Date(begin),
        numberId,
        memberId,
      ],
    );
  }
  const step = (days * DAY_MS) / messages;
  for (let from = 0; from < messages; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, messages - from) }, (_, i) => {
      const n = from + i;
      const at = new Date(begin + n * step);
      const source = SOURCES[n % SOURCES.length] ?? 'api';
      const person = people[Math.floor(n / 7) % contacts];
      return { id: newIdAt('msg', at), at, source, person, text: QUESTIONS[n % QUESTIONS.length] };
    });
    await write(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source,
         author, automation_id, campaign_id, created_at)
       select $1, m.id, m.conversation, $2, m.contact, case when m.source = 'contact' then 'inbound' else 'outbound' end, 'text', m.text,
         case when m.source = 'contact' then 'received' when m.n % 50 = 0 then 'failed' else 'delivered' end, m.source,
         case m.source when 'automation' then '{"type":"ai","id":null,"name":"AI"}'::jsonb when 'member' then jsonb_build_object('type', 'member', 'id', $3::text, 'name', 'Ana') end,
         case when m.source = 'automation' then $4 end, case when m.source = 'campaign' then 'cmp_bench' end, m.at
       from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[]) with ordinality
         as m (id, conversation, contact, source, text, at, n)`,
      [
        numberId,
        memberId,
        automationId,
        rows.map(({ id }) => id),
        rows.map(({ person }) => person?.conversation),
        rows.map(({ person }) => person?.contact),
        rows.map(({ source }) => source),
        rows.map(({ text }) => text),
        rows.map(({ at }) => at),
      ],
    );
  }
}
