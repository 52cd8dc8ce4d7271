import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { AppError } from '../../errors.ts';
import { fingerprintOf } from '../../http/idempotency.ts';
import { hidden } from '../../pages/fields.ts';
import type { Html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { field, type Page } from '../page.ts';

interface Changed {
  /** Of what was written here. */
  readonly written: string;
  /** Of a step that was decided by what the page showed. */
  readonly decided: string;
}

const CHANGED: Dictionary<Changed> = {
  en: {
    written:
      'Somebody changed this after you opened the page. What you wrote is still here: sent again, it takes the place of theirs.',
    decided:
      'Somebody changed this after you opened the page, so nothing was done. Look at it as it is now, and decide again.',
  },
  'pt-BR': {
    written:
      'Alguém mudou isto depois que você abriu a página. O que você escreveu continua aqui: enviado outra vez, substitui a mudança.',
    decided:
      'Alguém mudou isto depois que você abriu a página, então nada foi feito. Veja como está agora e decida outra vez.',
  },
};

const FIELD = 'seen';
const markOf = (shown: unknown): string => fingerprintOf([shown]).toString('base64url');

/**
 * For a form that `asSeen` performs. A form shown again keeps its mark, whatever else was wrong with it, until its reader
 * was told of the change.
 *
 * @param shown what the page says of the record, as far as the form depends on it
 * @param of the form's id, if the field does not stand in it
 */
export function seenField(page: Page, shown: unknown, of?: string): Html {
  const { written, decided } = CHANGED[page.lang];
  const wasTold = [written, decided].includes(page.problems.get('') ?? '');
  const isNew = wasTold || !page.sent.has(FIELD);
  return hidden(FIELD, isNew ? markOf(shown) : field(page, FIELD), of);
}

interface Look {
  /** What `seenField` was given, read anew; it locks the record first. */
  readonly stored: (ctx: Context) => Promise<unknown>;
  readonly for: keyof Changed;
}

/**
 * Performs it only if the record is still as the person saw it, so that they neither undo nor send out somebody else's
 * change. Throws 409 `conflict`.
 */
export const asSeen = <T>(
  page: Page<Context>,
  look: Look,
  work: (page: Page<Context>) => Promise<T>,
): Promise<T> =>
  transact(page.ctx, async (tx) => {
    const ctx = { ...tx, actor: page.ctx.actor };
    if (markOf(await look.stored(ctx)) !== field(page, FIELD)) {
      const message = CHANGED[page.lang][look.for];
      throw new AppError('conflict', message, [{ path: '', rule: 'changed_meanwhile', message }]);
    }
    return work({ ...page, ctx });
  });
