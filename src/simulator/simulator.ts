import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerAccounts } from './accounts.ts';
import { admissionBy, handleControl } from './controls.ts';
import { readFaults } from './faults.ts';
import { describeFile, handleUpload, serveFile } from './files.ts';
import { answerJson, answerProblem } from './http.ts';
import { createMails } from './mail/mails.ts';
import { startSmtpServer } from './mail/smtp.ts';
import { servePage } from './page/serving.ts';
import { createPhones, kindOf } from './phones.ts';
import { type LedgerEntry, openLedger } from './sending/ledger.ts';
import { fateOf } from './sending/magic.ts';
import { handleSend } from './sending/sends.ts';
import type { State } from './state.ts';
import { templatesBody } from './templates.ts';
import { createCallbacks } from './webhooks/callbacks.ts';
import { type Owed, openOwed } from './webhooks/owed.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

export interface SimulatorOptions {
  /** 0 takes any free port. */
  port: number;
  /** 127.0.0.1 by default: anyone who can reach the simulator can write as any person. */
  host?: string;
  /** Where webhooks go: the service's `/webhooks/whatsapp`. */
  callbackUrl: string;
  /** Signs the webhooks (`X-Hub-Signature-256`). */
  appSecret: string;
  /** The SMTP port for mails; any free port by default. */
  smtpPort?: number;
  /**
   * Appended to, one JSON object per line, and read back at the start; what the service had not been told of it by
   * then is told. Memory only by default.
   */
  ledgerFile?: string;
  log?: (line: string) => void;
}

/** A running stand-in for WhatsApp's Cloud API. */
export interface Simulator {
  port: number;
  url: string;
  /** `smtp://…`: every mail sent there is shown at `/mail`. */
  smtpUrl: string;
  /** All send requests so far, including refused ones, in order. */
  ledger(): LedgerEntry[];
  stop(): Promise<void>;
}

const SEND_PATH = /^\/v\d+\.\d+\/([\w-]{1,64})\/messages$/;
const UPLOAD_PATH = /^\/v\d+\.\d+\/[\w-]{1,64}\/media$/;
const TEMPLATES_PATH = /^\/v\d+\.\d+\/[\w-]{1,64}\/message_templates$/;
const FILE_PATH = /^\/v\d+\.\d+\/(\d{1,64})$/;
const BYTES_PATH = /^\/simulator\/media\/(\d{1,64})$/;

/**
 * Files and templates of the Graph API.
 *
 * @returns false for anything else
 */
function routeGraph(
  { files }: State,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): boolean {
  if (req.method === 'POST' && UPLOAD_PATH.test(path)) handleUpload(files, req, res);
  else if (req.method !== 'GET') return false;
  else if (TEMPLATES_PATH.test(path)) answerJson(res, 200, templatesBody());
  else if (FILE_PATH.test(path)) describeFile(files, req, res, FILE_PATH.exec(path)?.[1] ?? '');
  else if (BYTES_PATH.test(path)) serveFile(files, req, res, BYTES_PATH.exec(path)?.[1] ?? '');
  else return false;
  return true;
}

function route(state: State): RequestListener {
  return (req, res) => {
    const target = req.url ?? '/';
    const sender = req.method === 'POST' ? SEND_PATH.exec(target)?.[1] : undefined;
    if (sender) return handleSend(state, req, res, sender);
    const url = URL.parse(target, 'http://simulator');
    if (!url) return answerProblem(res, 400, 'This address cannot be read.');
    if (answerAccounts(state, req, res, url)) return;
    if (!routeGraph(state, req, res, url.pathname)) routePages(state, req, res, url);
  };
}

/** The simulator's own pages. */
function routePages(state: State, req: IncomingMessage, res: ServerResponse, url: URL): void {
  if (url.pathname.startsWith('/simulator/')) handleControl(state, req, res, url);
  else if (req.method !== 'GET' || !servePage(res, url.pathname, state.mails))
    answerProblem(res, 404, `There is no ${req.method} ${url.pathname} here.`);
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Shows on the phones what an earlier run accepted, and goes on telling of it where that run ended. */
function goOn({ ledger, phones, webhooks }: State, { toldUpTo }: Owed): void {
  for (const { n, t, wamid, key, phone_number_id, to, type, text } of ledger.entries()) {
    if (wamid === null) continue;
    const bubble = { wamid, direction: 'to_person', type, text, t } as const;
    const show = phones.show({ phone_number_id, person: to }, bubble);
    const recipient = { id: to, isPhone: kindOf(to) === 'phone' };
    const fate = fateOf(kindOf(to) === 'user' ? '' : to);
    if (n > toldUpTo) webhooks.follow({ n, phone_number_id, recipient, wamid, key, show }, fate, t);
    else show(fate.steps.at(-1)?.status ?? 'sent');
  }
}

/**
 * Starts a stand-in for the Cloud API: a server of its own that accepts sends, keeps a ledger and reports through
 * signed webhooks, along with a mail server that keeps what it receives. Rejects if the port is in use or the ledger
 * cannot be opened.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', callbackUrl, appSecret, ledgerFile, log = () => {} } = options;
  const cleared = readFaults({});
  if ('problem' in cleared) throw new TypeError(cleared.problem);
  const callbacks = createCallbacks({ url: callbackUrl, appSecret, log });
  const ledger = openLedger(ledgerFile);
  const owed = openOwed(ledgerFile, ledger.entries().length);
  const phones = createPhones();
  const webhooks = createWebhooks({ callbacks, owed, phones, faults: () => state.faults });
  const state: State = {
    ledger,
    phones,
    webhooks,
    faults: cleared.faults,
    disconnected: new Set(),
    admits: admissionBy(cleared.faults),
    throttled: new Map(),
    subscribed: false,
    files: new Map(),
    mails: createMails(),
  };
  goOn(state, owed);
  const server = createServer({ keepAliveTimeout: 60_000 }, route(state));
  const release = async (): Promise<void> => {
    webhooks.stop();
    await callbacks.stop();
    owed.close();
    ledger.close();
  };
  try {
    const port = await listen(server, options.port, host);
    const smtp = await startSmtpServer({ port: options.smtpPort ?? 0, host }, state.mails.take);
    const name = host.includes(':') ? `[${host}]` : host;
    return {
      port,
      url: `http://${name}:${port}`,
      smtpUrl: `smtp://${name}:${smtp.port}`,
      ledger: ledger.entries,
      stop: async () => {
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await Promise.all([closed, smtp.stop()]);
        await release();
      },
    };
  } catch (problem) {
    await release();
    throw problem;
  }
}
