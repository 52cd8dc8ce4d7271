import type { Context } from '../../../src/context.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { aMessageWebhook, type InboundStage, openInboundStage } from '../../support/inbound.ts';
import { rowsOf } from '../../support/rows-of.ts';

interface Standing {
  readonly id: string;
  readonly opted_out: boolean;
  readonly opt_out_source: string | null;
  /** The text of the message that proves it. */
  readonly evidence: string | null;
  /** What the service said by itself. */
  readonly said: readonly string[];
}

/** A workspace with a number to which people write. */
export interface WritingScene {
  readonly stage: InboundStage;
  readonly ctx: Context;
  readonly numberId: string;
  readonly phoneNumberId: string;
  rows<R>(text: string, params?: readonly unknown[]): Promise<R[]>;
  /** A phone of its own for each person, in WhatsApp's digits. */
  aPhone(): string;
  /** Posts a message that nobody has taken in yet; its text is in its id. */
  posts(text: string, fields?: Record<string, unknown>): Promise<void>;
  /** All messages, in their order. */
  texts(): Promise<string[]>;
  /** Posts a message and takes it in. */
  writes(from: string, text: string, fields?: Record<string, unknown>): Promise<void>;
  standing(from: string): Promise<Standing | undefined>;
  close(): Promise<void>;
}

export async function openWritingScene(): Promise<WritingScene> {
  const stage = await openInboundStage();
  const { ctx } = await aWorkspace(stage.database);
  const number = await aNumber(ctx);
  const phoneNumberId = number.phoneNumberId ?? '';
  let people = 0;
  let sent = 0;
  const rows = <R>(text: string, params: readonly unknown[] = []) => rowsOf<R>(ctx, text, params);
  return {
    stage,
    close: stage.close,
    ctx,
    numberId: number.id,
    phoneNumberId,
    rows,
    aPhone: () => `55119${84_000_000 + ++people}`,
    posts: async (text, fields = {}) => {
      await stage.post(aMessageWebhook(phoneNumberId, { id: `wamid.${text}`, text, ...fields }));
    },
    texts: async () => {
      const all = await rows<{ text: string }>('select text from messages order by id');
      return all.map(({ text }) => text);
    },
    writes: async (from, text, fields = {}) => {
      const id = `wamid.in.${++sent}`;
      await stage.post(aMessageWebhook(phoneNumberId, { id, from, text, ...fields }));
      await stage.process();
    },
    standing: async (from) => {
      const [row] = await rows<Standing>(
        `select c.id, c.opted_out, c.opt_out_source,
           (select m.text from messages m where m.id = c.opt_out_message_id) as evidence,
           array(select m.text from messages m where m.contact_id = c.id and m.source = 'system') as said
         from contacts c where c.phone = $1`,
        [`+${from}`],
      );
      return row;
    },
  };
}
