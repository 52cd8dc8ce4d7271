// A day's work of an integrator, through the client alone: customers come in, a campaign goes out and is
// followed, signed webhooks are verified, an answer is read, its conversation closed, the figures read.
//
//   npm start                                            (in another terminal)
//   node scripts/run.mjs clients/typescript/examples/a-day.ts   (finds the running service by .data/run.json)
//   MESSAGING_URL=https://… MESSAGING_KEY=sk_live_… node scripts/run.mjs clients/typescript/examples/a-day.ts
import fs from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  ApiError,
  type CampaignDetail,
  ConnectionFailed,
  type Contact,
  createClient,
  paginate,
  type WebhookEvent,
  type WorkspaceMessaging,
} from '../src/index.ts';
import { openMailbox } from './mailbox.ts';

export interface DayOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Where the service may reach us: an origin that it trusts, or a public one. */
  readonly receiver: { readonly port: number; readonly origin: string };
  readonly say: (line: string) => void;
}

/** What was achieved, for whoever checks it. */
export interface Day {
  readonly contacts: number;
  readonly results: CampaignDetail['results'];
  readonly events: readonly WebhookEvent[];
  readonly refusedDeliveries: number;
  readonly answer: string;
  readonly delivered: number;
}

const TAG = 'a-day';
const PEOPLE = [
  // The last digits tell the simulator what becomes of a message.
  { name: 'Ana Souza', phone: '+5511980900005', custom: { pedido: '1001' } },
  { name: 'Bruno Lima', phone: '+5511980900001', custom: { pedido: '1002' } },
  { name: 'Carla Dias', phone: '+5511980900002', custom: { pedido: '1003' } },
];

export async function aDay({ apiKey, baseUrl, receiver, say }: DayOptions): Promise<Day> {
  const api = createClient({ apiKey, baseUrl });
  const mailbox = await openMailbox(receiver.port);
  try {
    const { id, secret } = await api.createWebhook({
      body: {
        name: 'A day',
        url: `${receiver.origin}/hooks`,
        events: ['contact.created', 'message.sent', 'message.received', 'conversation.closed'],
      },
    });
    mailbox.trust(secret);
    try {
      return await work(api, mailbox, say);
    } finally {
      await api.deleteWebhook({ path: { id } });
    }
  } finally {
    mailbox.close();
  }
}

async function work(
  api: WorkspaceMessaging,
  mailbox: Awaited<ReturnType<typeof openMailbox>>,
  say: DayOptions['say'],
): Promise<Day> {
  const { contacts, created } = await bringIn(api);
  say(`${contacts.length} customers are in, found again by their tag.`);

  const campaign = await announce(api, contacts);
  const results = await follow(api, campaign);
  say(`Campaign ${campaign}: ${results.delivered + results.read} of ${contacts.length} have it.`);

  const { answer, replyId } = await readAnswer(api, contacts[0]?.id ?? '');
  say(`${contacts[0]?.name} answered: ${answer}`);

  const report = await api.getNumbersReport({ query: { period: 'today' } });
  say(`Today ${report.attempted} messages were tried, ${report.delivered} arrived.`);

  const due = [
    ...created.map((id) => ['contact.created', id]),
    ...[...contacts.map(({ id }) => id), replyId].map((id) => ['message.sent', id]),
    ...['message.received', 'conversation.closed'].map((type) => [type, contacts[0]?.id]),
  ];
  await until('all of it was reported to us', () => due.every(mailbox.has));
  say(`${mailbox.events.length} signed webhooks came and were verified.`);
  return {
    contacts: contacts.length,
    results,
    events: mailbox.events,
    refusedDeliveries: mailbox.refused(),
    answer,
    delivered: report.delivered,
  };
}

/** Running it twice creates nobody twice: the service says who has the phone already. */
async function bringIn(api: WorkspaceMessaging) {
  const created: string[] = [];
  for (const person of PEOPLE) {
    try {
      const { id } = await api.createContact({ body: { ...person, tags: [TAG] } });
      created.push(id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'duplicate') throw error;
    }
  }
  const found: Contact[] = [];
  const phones = new Set(PEOPLE.map(({ phone }) => phone));
  for await (const contact of paginate((page) => api.listContacts({ query: page }), 50))
    if (contact.phone && phones.has(contact.phone)) found.push(contact);
  return { contacts: found.toSorted((a, b) => a.name.localeCompare(b.name)), created };
}

async function announce(api: WorkspaceMessaging, contacts: readonly Contact[]): Promise<string> {
  const numberId = await aConnectedNumber(api);
  const { id } = await api.createCampaign({
    body: {
      name: 'Pedidos prontos',
      number_id: numberId,
      target: 'contacts',
      contact_ids: contacts.map((contact) => contact.id),
      text: 'Oi {{first_name|tudo bem}}! Seu pedido está pronto para retirada.',
      pace: 600,
    },
  });
  await api.sendCampaign({ path: { id } });
  return id;
}

async function aConnectedNumber(api: WorkspaceMessaging): Promise<string> {
  for await (const number of paginate((page) => api.listNumbers({ query: page })))
    if (number.status === 'connected') return number.id;
  throw new Error('The workspace has no connected number.');
}

async function follow(api: WorkspaceMessaging, id: string): Promise<CampaignDetail['results']> {
  let campaign = await api.getCampaign({ path: { id } });
  await until('the campaign is done and everybody has it', async () => {
    campaign = await api.getCampaign({ path: { id } });
    const { delivered, read } = campaign.results;
    return campaign.status === 'done' && delivered + read === campaign.audience.eligible;
  });
  return campaign.results;
}

async function readAnswer(api: WorkspaceMessaging, contactId: string) {
  let answer = '';
  let conversation = '';
  await until('an answer is there', async () => {
    const { data } = await api.listConversations({
      query: { contact_id: contactId, status: 'open' },
    });
    conversation = data[0]?.id ?? '';
    if (conversation === '') return false;
    for await (const message of paginate((page) =>
      api.listMessages({ path: { id: conversation }, query: page }),
    )) {
      if (message.direction !== 'inbound') continue;
      answer = message.text;
      return true;
    }
    return false;
  });
  const replyId = await reply(api, conversation);
  await api.closeConversation({ path: { id: conversation } });
  return { answer, replyId };
}

/** Within 24 hours of the person's own message; sent once, however often the call is repeated. */
async function reply(api: WorkspaceMessaging, conversation: string): Promise<string> {
  const path = { id: conversation };
  const { id } = await api.sendToConversation({
    path,
    body: { text: 'Obrigada! Até já.', client_ref: `thanks-${conversation}-${Date.now()}` },
  });
  await until('the reply has arrived', async () => {
    const { data } = await api.listMessages({ path });
    const sent = data.find((message) => message.id === id);
    return sent?.status === 'delivered' || sent?.status === 'read';
  });
  return id;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`Not within a minute: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The running service of this folder, or the one that the environment names. */
function running(): Pick<DayOptions, 'apiKey' | 'baseUrl'> {
  const { MESSAGING_URL, MESSAGING_KEY, DATA_DIR = '.data' } = process.env;
  if (MESSAGING_URL && MESSAGING_KEY) return { baseUrl: MESSAGING_URL, apiKey: MESSAGING_KEY };
  const file = `${DATA_DIR}/run.json`;
  if (!fs.existsSync(file))
    throw new Error(
      `There is no ${file}: give the folder that "npm start" names as DATA_DIR, or MESSAGING_URL and MESSAGING_KEY.`,
    );
  const { baseUrl, demo } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return { baseUrl, apiKey: demo.apiKey };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The one address on this machine that a service started by "npm start" delivers to.
  const receiver = { port: 3999, origin: 'http://127.0.0.1:3999' };
  try {
    await aDay({ ...running(), receiver, say: console.log });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof ConnectionFailed) console.error('Is it running? "npm start" starts it.');
    process.exitCode = 1;
  }
}
