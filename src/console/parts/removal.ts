import type { Permission } from '../../access/permissions.ts';
import type { Context } from '../../context.ts';
import type { Html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { type Action, type Done, idOf, type Page, wasRefused } from '../page.ts';
import { askFirst } from './form.ts';

const TEXTS: Dictionary<{ label: string; lead: string; done: string }> = {
  en: {
    label: 'Delete',
    lead: 'It goes for good. Only what was never used can be deleted.',
    done: 'It is deleted.',
  },
  'pt-BR': {
    label: 'Apagar',
    lead: 'Não há como desfazer. Só se apaga o que nunca foi usado.',
    done: 'Foi apagado.',
  },
};

/** Takes away a record on which nothing hangs, and leads to the list of those that are left. */
export const removal = (
  permission: Permission,
  list: string,
  remove: (ctx: Context, id: string) => Promise<void>,
): Action => ({
  permission,
  once: true,
  run: async (page): Promise<Done> => {
    await remove(page.ctx, idOf(page));
    return { to: list, flash: { text: TEXTS[page.lang].done } };
  },
});

/** The button of the action `delete`. */
export const removalButton = (page: Page): Html => {
  const { label, lead } = TEXTS[page.lang];
  return askFirst(page, 'delete', { label, lead, danger: true, open: wasRefused(page, 'delete') });
};
