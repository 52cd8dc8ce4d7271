import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { createRateLimit, type Faults, readFaults, wrongIn } from './faults.ts';
import { answerJson, answerProblem, parseJson, readBody } from './http.ts';
import type { Addressee } from './phones.ts';
import type { LedgerEntry } from './sending/ledger.ts';
import type { State } from './state.ts';
import { NUMBER_EVENTS } from './webhooks/envelopes.ts';

const LONGEST_TEXT = 4096;
const TOO_LONG = `At most ${LONGEST_TEXT} characters.`;

/** A phone, or the id of somebody who hides it. */
const personSchema = z.string().regex(/^(\+?\d{7,15}|[A-Z]{2}\.[\w.-]{1,128})$/);

const inboundSchema = z.strictObject({
  phone_number_id: z.string().min(1).max(64),
  from: personSchema,
  name: z.string().min(1).max(200).optional(),
  text: z.string().max(LONGEST_TEXT, TOO_LONG).default(''),
  /** Sent into a group that the number is in. */
  group_id: z.string().min(1).max(100).optional(),
  /** A file that was uploaded here before; the text is its caption. */
  file: z
    .strictObject({
      type: z.enum(['image', 'video', 'audio', 'document', 'sticker']),
      id: z.string().min(1).max(64),
      mime_type: z.string().min(1).max(200),
      filename: z.string().max(200).optional(),
    })
    .optional(),
});

const echoSchema = z.strictObject({
  phone_number_id: z.string().min(1).max(64),
  to: z.string().regex(/^\+?\d{7,15}$/),
  text: z.string().min(1).max(LONGEST_TEXT, TOO_LONG),
});

const changeSchema = z
  .strictObject({
    phone_number_id: z.string().min(1).max(64),
    from: personSchema,
    to: personSchema,
  })
  .refine(({ from, to }) => from.includes('.') === to.includes('.'), {
    path: ['to'],
    message: 'Give two phones, or two ids.',
  });

const numberSchema = z.strictObject({
  phone_number_id: z.string().min(1).max(64),
  event: z.enum(NUMBER_EVENTS),
});

type Control = (state: State, req: IncomingMessage, res: ServerResponse, url: URL) => void;

/**
 * The meaning of `after`: a position in the ledger, or a time in milliseconds or ISO 8601.
 *
 * @returns null if it is neither
 */
function afterFilter(after: string): ((entry: LedgerEntry) => boolean) | null {
  const value = /^\d+$/.test(after) ? Number(after) : Date.parse(after);
  if (Number.isNaN(value)) return null;
  // No ledger has this many lines, and no clock shows a time this early.
  return value < 1e11 ? ({ n }) => n > value : ({ t }) => t > value;
}

const listMessages: Control = (state, _req, res, url) => {
  const query = url.searchParams;
  const isAfter = afterFilter(query.get('after') ?? '0');
  if (!isAfter) return answerProblem(res, 400, 'after: a position (n) or a time is expected.');
  const to = query.get('to')?.replace(/^[+ ]/, '');
  const number = query.get('phone_number_id');
  const all = query.get('all') === '1';
  const data = state.ledger
    .entries()
    .filter(
      (entry) =>
        (all || entry.wamid !== null) &&
        (!to || entry.to === to) &&
        (!number || entry.phone_number_id === number) &&
        isAfter(entry),
    );
  answerJson(res, 200, JSON.stringify({ data }));
};

const personOf = (written: string): Addressee => {
  const isPhone = !written.includes('.');
  return { id: isPhone ? written.replace('+', '') : written, isPhone };
};

const writeInbound: Control = (state, req, res) => {
  readBody(req, (body) => {
    const parsed = inboundSchema.safeParse(parseJson(body));
    if (!parsed.success) return answerProblem(res, 400, wrongIn(parsed.error));
    const { phone_number_id, from, name, text, group_id: groupId, file } = parsed.data;
    if (text === '' && !file) return answerProblem(res, 400, 'text: Give a text or a file.');
    void state.webhooks
      .write(phone_number_id, {
        from: personOf(from),
        ...(name ? { name } : {}),
        text,
        groupId,
        file,
      })
      .then((written) => answerJson(res, 200, JSON.stringify(written)));
  });
};

const writeEcho: Control = (state, req, res) => {
  readBody(req, (body) => {
    const parsed = echoSchema.safeParse(parseJson(body));
    if (!parsed.success) return answerProblem(res, 400, wrongIn(parsed.error));
    const { phone_number_id, to, text } = parsed.data;
    const person = { id: to.replace('+', ''), isPhone: true };
    void state.webhooks
      .echo(phone_number_id, { to: person, text })
      .then((written) => answerJson(res, 200, JSON.stringify(written)));
  });
};

const changePerson: Control = (state, req, res) => {
  readBody(req, (body) => {
    const parsed = changeSchema.safeParse(parseJson(body));
    if (!parsed.success) return answerProblem(res, 400, wrongIn(parsed.error));
    const { phone_number_id, from, to } = parsed.data;
    void state.webhooks
      .change(phone_number_id, personOf(from), personOf(to))
      .then((delivered) => answerJson(res, 200, JSON.stringify({ delivered })));
  });
};

const tellOfNumber: Control = (state, req, res) => {
  readBody(req, (body) => {
    const parsed = numberSchema.safeParse(parseJson(body));
    if (!parsed.success) return answerProblem(res, 400, wrongIn(parsed.error));
    const { phone_number_id, event } = parsed.data;
    void state.webhooks
      .tell(phone_number_id, event)
      .then((delivered) => answerJson(res, 200, JSON.stringify({ delivered })));
  });
};

/** One limit per number, like Meta's throughput. */
export function admissionBy({ rate_limit_per_s: perSecond }: Faults): State['admits'] {
  if (perSecond === null) return () => true;
  const limits = new Map<string, () => boolean>();
  return (phoneNumberId) => {
    const limit = limits.get(phoneNumberId) ?? createRateLimit(perSecond);
    limits.set(phoneNumberId, limit);
    return limit();
  };
}

const setFaults: Control = (state, req, res) => {
  readBody(req, (body) => {
    const asked = parseJson(body);
    const read = readFaults(asked);
    if ('problem' in read) return answerProblem(res, 400, read.problem);
    state.faults = read.faults;
    state.admits = admissionBy(read.faults);
    if (Object.keys(asked as object).length === 0) {
      state.disconnected.clear();
      state.throttled.clear();
    }
    state.webhooks.faultsChanged();
    answerJson(res, 200, JSON.stringify(read.faults));
  });
};

const showFaults: Control = (state, _req, res) => {
  answerJson(res, 200, JSON.stringify(state.faults));
};

const showPhone: Control = (state, _req, res, url) => {
  const query = url.searchParams;
  const page = state.phones.page(
    query.get('phone_number_id') ?? '',
    query.get('person') ?? '',
    Number(query.get('seen') ?? 0),
  );
  if (page) return answerJson(res, 200, JSON.stringify(page), { 'cache-control': 'no-store' });
  res.writeHead(204).end();
};

const listMails: Control = (state, _req, res, url) => {
  const data = state.mails.list(url.searchParams.get('to'));
  answerJson(res, 200, JSON.stringify({ data }));
};

const CONTROLS: Readonly<Record<string, Readonly<Record<string, Control>>>> = {
  '/simulator/messages': { GET: listMessages },
  '/simulator/inbound': { POST: writeInbound },
  '/simulator/echo': { POST: writeEcho },
  '/simulator/change': { POST: changePerson },
  '/simulator/number': { POST: tellOfNumber },
  '/simulator/faults': { GET: showFaults, POST: setFaults },
  '/simulator/phone': { GET: showPhone },
  '/simulator/mails': { GET: listMails },
};

/** The simulator's own calls, under `/simulator/`. */
export function handleControl(
  state: State,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): void {
  const methods = CONTROLS[url.pathname];
  if (!methods) {
    answerProblem(res, 404, `There is no ${url.pathname} here.`);
    return;
  }
  const control = methods[req.method ?? ''];
  if (!control) {
    answerProblem(res, 405, `Use ${Object.keys(methods).join(' or ')}.`);
    return;
  }
  // A page of another site can post a form here, but not JSON.
  if (req.method === 'POST' && !/^application\/json\b/.test(req.headers['content-type'] ?? '')) {
    answerProblem(res, 415, 'Send JSON, as content-type application/json.');
    return;
  }
  control(state, req, res, url);
}
